{#
    A record as the list of its fields, quotes kept. Doubled quotes are first written as two marks without a quote:
    what is left tells inside from outside, and the pattern needs no repetition that long values could exhaust. A
    mark that the record itself holds becomes two marks as well, so that every value comes back as it was.
#}
{% macro cdc_csv_fields_sql(record, delimiter) -%}
{%- set delimiter = delimiter.replace('\\t', '\t') -%}
{%- set is_mark = delimiter in ['\x02', '\x03', '\x04'] -%}
{%- set mark, kept, doubled = ('char(5)', 'char(6)', 'char(7)') if is_mark else ('char(2)', 'char(3)', 'char(4)') -%}
{%- set escaped = '\\\\x{' ~ delimiter.encode('utf-16-be').hex() ~ '}' -%}
transform(
    regexp_extract_all(
        concat(
            {{ cdc_string_sql(delimiter) }},
            replace(replace({{ record }}, {{ mark }}, {{ mark }} || {{ kept }}), '""', {{ mark }} || {{ doubled }})
        ),
        '{{ escaped }}((?:[^{{ escaped }}"]++|"[^"]*+")*+)',
        1
    ),
    field -> replace(replace(field, {{ mark }} || {{ doubled }}, '""'), {{ mark }} || {{ kept }}, {{ mark }})
)
{%- endmacro %}
