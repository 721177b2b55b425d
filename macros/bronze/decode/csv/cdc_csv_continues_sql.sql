{#
    Whether a quoted value is still open at the end of a line that begins outside of one. Of a line that begins inside,
    the same is asked with a quote before it. Most lines have no quote, and no pattern is tried on them.
#}
{% macro cdc_csv_continues_sql(line, delimiter) -%}
{%- set pattern = cdc_csv_patterns(delimiter) -%}
{%- set field = '(?:' ~ pattern.quoted ~ '|' ~ pattern.unquoted ~ ')?+' -%}
contains({{ line }}, '"') and {{ line }} rlike '\\A(?:{{ field }}{{ pattern.delimiter }})*+{{ pattern.opened }}\\z'
{%- endmacro %}
