{% macro cdc_table_columns_sql(table) -%}
{{ adapter.string_literal(table.feed) }} as feed,
{{ cdc_string_or_null(table.source_schema) }} as source_schema,
{{ cdc_string_or_null(table.source_table) }} as source_table
{%- endmacro %}
