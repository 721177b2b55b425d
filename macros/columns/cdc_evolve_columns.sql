{# Gives a table the types and columns of a plan. #}
{% macro cdc_evolve_columns(relation, plan) %}
    {% set arguments = {'relation': relation, 'plan': plan, 'warehouse': adapter} %}
    {% for statement in adapter.call_function('python_udfs.pipeline.columns.evolve_statements', arguments) %}
        {% do run_query(statement) %}
    {% endfor %}
{% endmacro %}
