{# The rows that a plan writes to a silver table, or makes it of. #}
{% macro cdc_silver_query(cdc, bronze, plan) %}
    {% set arguments = {'warehouse': adapter, 'sql': context, 'cdc': cdc, 'bronze': bronze, 'plan': plan} %}
    {% do return(adapter.call_function('python_udfs.pipeline.silver_writes.write_rows_sql', arguments)) %}
{% endmacro %}
