{#
    The last batch of each table in bronze, and of each split table, by feed, schema and table. A table without a model
    is not active. Asked once a command, when its models have run.
#}
{% macro cdc_progress_of_tables() %}
    {% set notes = adapter.notes('progress') if cdc_is_test() else {'tables': {}} %}
    {% if not notes %}
        {% set tables = {} %}
        {% for node in cdc_models_of('bronze') %}
            {% set bronze = load_relation(cdc_relation_of(node)) %}
            {% do _add_progress(tables, node.config.meta.cdc, true, cdc_last_batch_id(bronze)) %}
        {% endfor %}
        {% for node in cdc_models_of('split') %}
            {% set split = load_relation(cdc_relation_of(node)) %}
            {% set last = run_query('select max(batch_id) from ' ~ split).columns[0].values()[0] if split else none %}
            {% do _add_progress(tables, {'feed': node.config.meta.cdc.feed}, true, last or 0) %}
        {% endfor %}
        {% for table in cdc_tables() if not ('bronze' in table or 'split' in table) %}
            {% do _add_progress(tables, table, false, 0) %}
        {% endfor %}
        {% do notes.update({'tables': tables}) %}
    {% endif %}
    {% do return(notes.tables) %}
{% endmacro %}


{% macro _add_progress(tables, table, is_active, batch_id) %}
    {% set schema, name = table.get('source_schema'), table.get('source_table') %}
    {% do tables.update({(table.feed, schema, name): {
        'feed': table.feed, 'source_schema': schema, 'source_table': name, 'is_active': is_active, 'batch_id': batch_id,
    }}) %}
{% endmacro %}
