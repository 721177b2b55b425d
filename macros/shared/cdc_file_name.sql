{# The name that files have for a column of bronze: cdc_table_name the other way round. #}
{% macro cdc_file_name(name) %}
    {% do return(adapter.call_function('python_udfs.metadata.names.file_name', {'name': name})) %}
{% endmacro %}
