{# The source columns of bronze that silver has, as cdc_log_sql wants them. #}
{% macro cdc_log_plan(bronze, columns, cdc) %}
    {% set arguments = {'cdc': cdc, 'columns': adapter.get_columns_in_relation(bronze), 'wanted': columns} %}
    {% do return(adapter.call_function('python_udfs.pipeline.columns.select_log_columns', arguments)) %}
{% endmacro %}
