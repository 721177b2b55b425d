{# The key columns of a table as its messages name them, in lower case. #}
{% macro cdc_message_keys(cdc) %}
    {% do return(adapter.call_function('python_udfs.pipeline.files.name_message_keys', {'cdc': cdc})) %}
{% endmacro %}
