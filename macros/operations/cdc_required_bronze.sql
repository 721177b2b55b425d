{# The bronze table of a silver table, which an operation cannot do without. #}
{% macro cdc_required_bronze(model) %}
    {% set bronze = cdc_table_of('bronze', model.cdc) %}
    {% set columns = adapter.get_columns_in_relation(bronze) if bronze is not none else none %}
    {% set arguments = {'model': model, 'columns': columns} %}
    {% do adapter.call_function('python_udfs.pipeline.operations.require_bronze', arguments) %}
    {% do return(bronze) %}
{% endmacro %}
