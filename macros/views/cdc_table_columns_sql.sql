{% macro cdc_table_columns_sql(table) -%}
{{ adapter.string_literal(table.feed) }} as feed,
{{ adapter.string_literal(table.source_schema) }} as source_schema,
{{ adapter.string_literal(table.source_table) }} as source_table
{%- endmacro %}
