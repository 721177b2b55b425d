{#
    A record as the list of its fields, quotes kept. Doubled quotes are folded into one character first: what is left tells
    inside from outside, and the pattern needs no repetition that long values could exhaust.
#}
{% macro cdc_csv_fields_sql(record, delimiter) -%}
{%- set delimiter = delimiter.replace('\\t', '\t') -%}
{%- set escaped = '\\\\x{' ~ delimiter.encode('utf-16-be').hex() ~ '}' -%}
transform(
    regexp_extract_all(
        concat({{ cdc_string_sql(delimiter) }}, replace({{ record }}, '""', char(2))),
        '{{ escaped }}((?:[^{{ escaped }}"]++|"[^"]*+")*+)',
        1
    ),
    field -> replace(field, char(2), '""')
)
{%- endmacro %}
