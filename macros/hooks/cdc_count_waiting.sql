{# How many rows of a silver table wait in quarantine; none if that cannot be asked. Python calls it, for few tables. #}
{% macro cdc_count_waiting(silver_table) %}
    {% for node in cdc_models_of('silver') if node.relation == silver_table %}
        {% set bronze = cdc_table_of('bronze', node.cdc) %}
        {% if bronze is not none %}
            {% set waiting_sql = cdc_waiting_sql(cdc_with_silver(node.cdc, bronze), bronze) %}
            {% set asked = adapter.attempt('select count(*) as row_count from (\n' ~ waiting_sql ~ '\n)') %}
            {% do return(none if asked.error else asked.rows[0]['row_count'] | int) %}
        {% endif %}
    {% endfor %}
{% endmacro %}
