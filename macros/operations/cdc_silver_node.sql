{# A command has no model of its own: its table is found by name in dbt's graph. #}
{% macro cdc_silver_node(table) %}
    {% set arguments = {'models': cdc_models(), 'table': table} %}
    {% do return(adapter.call_function('python_udfs.pipeline.operations.find_silver', arguments)) %}
{% endmacro %}
