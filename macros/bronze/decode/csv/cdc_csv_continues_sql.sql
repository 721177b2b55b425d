{#
    Whether a quoted value is still open at the end of a line that begins outside of one. Of a line that begins inside,
    the same is asked with a quote before it. Most lines have no quote, and no pattern is tried on them.
#}
{% macro cdc_csv_continues_sql(line, delimiter) -%}
{%- set read = 'python_udfs.connectors.csv_patterns.read_patterns' -%}
{%- set patterns = adapter.call_function(read, {'delimiter': delimiter}) -%}
contains({{ line }}, '"') and {{ line }} rlike {{ adapter.string_literal(patterns.open_line) }}
{%- endmacro %}
