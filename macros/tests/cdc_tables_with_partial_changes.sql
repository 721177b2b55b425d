{# The tables with a key of which new changes do not carry all values, and all that are compared in full. #}
{% macro cdc_tables_with_partial_changes() %}
    {% set tables = [] %}
    {% for node in cdc_models_of('silver') if node.config.meta.cdc.mode != 'append' %}
        {% set silver = load_relation(cdc_relation_of(node)) %}
        {% set check = cdc_check_of(silver) if silver is not none else {} %}
        {% if check.depth == 'full' %}
            {% set snapshot_id = check.progress['cdc.bronze-snapshot-id'] %}
            {% do tables.append(dict(check, rows_sql=cdc_bronze_range_sql(check.bronze, none, snapshot_id, 0, true))) %}
        {% elif check.depth == 'step' and check.has_partial %}
            {% do tables.append(check) %}
        {% endif %}
    {% endfor %}
    {% do return(tables) %}
{% endmacro %}
