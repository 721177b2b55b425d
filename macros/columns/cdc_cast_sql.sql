{# The value of a column in the type that the table has for it. #}
{% macro cdc_cast_sql(column) %}
    {% set arguments = {'column': column, 'warehouse': adapter} %}
    {% do return(adapter.call_function('python_udfs.pipeline.casts.write_value', arguments)) %}
{% endmacro %}
