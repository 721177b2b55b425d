{# A record as the list of its fields, quotes kept; a value that no quote closes goes to the end of the record. #}
{% macro cdc_csv_fields_sql(record, delimiter) -%}
{%- set pattern = cdc_csv_patterns(delimiter) -%}
regexp_extract_all(
    concat({{ cdc_string_sql(delimiter.replace('\\t', '\t')) }}, {{ record }}),
    '{{ pattern.delimiter }}((?:{{ pattern.quoted }}|{{ pattern.unquoted }}|{{ pattern.opened }})?+)',
    1
)
{%- endmacro %}
