{# A record as the list of its fields, quotes kept; a value that no quote closes goes to the end of the record. #}
{% macro cdc_csv_fields_sql(record, delimiter) -%}
{%- set read = 'python_udfs.connectors.csv_patterns.read_patterns' -%}
{%- set patterns = adapter.call_function(read, {'delimiter': delimiter}) -%}
regexp_extract_all(
    concat({{ adapter.string_literal(patterns.delimiter) }}, {{ record }}),
    {{ adapter.string_literal(patterns.field) }},
    1
)
{%- endmacro %}
