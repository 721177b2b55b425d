{# The columns that identify a row of silver: the key, or the row's source position if a table has no key. #}
{% macro cdc_key_columns(cdc) %}
    {% do return(adapter.call_function('python_udfs.pipeline.keys.list_key_columns', {'cdc': cdc})) %}
{% endmacro %}
