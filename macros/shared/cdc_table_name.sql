{# The name that a column of the source has in bronze and silver. #}
{% macro cdc_table_name(name) %}
    {% do return(adapter.call_function('python_udfs.metadata.names.table_name', {'name': name})) %}
{% endmacro %}
