{# Whether deleted rows stay in silver, marked. #}
{% macro cdc_is_soft(cdc) %}
    {% do return(adapter.call_function('python_udfs.pipeline.table.is_soft', {'cdc': cdc})) %}
{% endmacro %}
