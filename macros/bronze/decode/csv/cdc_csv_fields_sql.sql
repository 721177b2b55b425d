{# A record as the list of its fields, quotes kept; a value that no quote closes goes to the end of the record. #}
{% macro cdc_csv_fields_sql(record, delimiter) -%}
{%- set pattern = cdc_csv_patterns(delimiter) -%}
regexp_extract_all(
    concat({{ adapter.string_literal(delimiter.replace('\\t', '\t')) }}, {{ record }}),
    '{{ pattern.delimiter }}((?:{{ pattern.quoted }}|{{ pattern.unquoted }}|{{ pattern.opened }})?+)',
    1
)
{%- endmacro %}
