{#
    The last batch of each table in bronze, and of each split table, by feed, schema and table. A table without a model
    is not active. Asked once a command, when its models have run.
#}
{% macro cdc_progress_of_tables() %}
    {% set notes = adapter.notes('progress') if cdc_is_test() else {'tables': {}} %}
    {% if not notes %}
        {% set tables = {} %}
        {% for node in cdc_models_of('bronze') %}
            {% set cdc, bronze = node.cdc, load_relation(cdc_relation_of(node)) %}
            {% set table = {'is_active': true, 'batch_id': cdc_last_batch_id(bronze)} %}
            {% do tables.update({(cdc.feed, cdc.source_schema, cdc.source_table): table}) %}
        {% endfor %}
        {% for node in cdc_models_of('split') %}
            {% set split = load_relation(cdc_relation_of(node)) %}
            {% set last = run_query('select max(batch_id) from ' ~ split).columns[0].values()[0] if split else none %}
            {% set table = {'is_active': true, 'batch_id': last or 0} %}
            {% do tables.update({(node.cdc.feed, none, none): table}) %}
        {% endfor %}
        {% for table in cdc_tables() if not ('bronze' in table or 'split' in table) %}
            {% set key = (table.feed, table.source_schema, table.source_table) %}
            {% do tables.update({key: {'is_active': false, 'batch_id': 0}}) %}
        {% endfor %}
        {% do notes.update({'tables': tables}) %}
    {% endif %}
    {% do return(notes.tables) %}
{% endmacro %}
