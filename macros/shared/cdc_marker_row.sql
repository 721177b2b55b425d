{# The row of a marker: no file has as many lines. #}
{% macro cdc_marker_row() %}
    {% do return(adapter.call_function('python_udfs.pipeline.sequence.marker_row', {})) %}
{% endmacro %}
