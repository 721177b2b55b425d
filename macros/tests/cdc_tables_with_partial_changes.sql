{# The tables with a key of which new changes do not carry all values, and all that are compared in full. #}
{% macro cdc_tables_with_partial_changes() %}
    {% set tables = [] %}
    {% for node in cdc_models_of('silver') if node.cdc.mode != 'append' %}
        {% set silver = load_relation(cdc_relation_of(node)) %}
        {% set check = dict(cdc_check_of(silver)) if silver is not none else {} %}
        {% if check.depth == 'full' %}
            {% set snapshot_id = check.progress['cdc.bronze-snapshot-id'] %}
            {% do check.update({'rows_sql': cdc_bronze_range_sql(check.bronze, none, snapshot_id, 0, true)}) %}
        {% endif %}
        {% if check.depth == 'full' or check.depth == 'step' and check.has_partial %}
            {% set options = cdc_config_of(check.bronze).get('options', {}) %}
            {% do tables.append(dict(check, keeps_absent=options.get('absent_columns') == 'keep')) %}
        {% endif %}
    {% endfor %}
    {% do return(tables) %}
{% endmacro %}
