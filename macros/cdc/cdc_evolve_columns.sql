{% macro cdc_evolve_columns(relation, plan) %}
    {% for statement in cdc_evolve_columns_sql(relation, plan) %}
        {% do run_query(statement) %}
    {% endfor %}
{% endmacro %}
