{# The row of a marker: no file has as many lines (python_udfs/landing/split.py writes it, too). #}
{% macro cdc_marker_row() -%}
999999999999
{%- endmacro %}
