{# The source's columns in one batch. #}
{% macro cdc_source_columns(cdc, raw) %}
    {% set arguments = {'cdc': cdc, 'columns': raw.columns} %}
    {% do return(adapter.call_function('python_udfs.pipeline.columns.read_source_columns', arguments)) %}
{% endmacro %}
