{# Gives a table the names, types and columns of a plan. #}
{% macro cdc_evolve_columns(relation, plan, renames=none) %}
    {% set arguments = {'relation': relation, 'plan': plan, 'warehouse': adapter, 'renames': renames} %}
    {% for statement in adapter.call_function('python_udfs.pipeline.columns.evolve_statements', arguments) %}
        {% do run_query(statement) %}
    {% endfor %}
{% endmacro %}
