{% macro cdc_table_columns_sql(table) -%}
{{ adapter.string_literal(table.feed) }} as feed,
{{ _string_or_null(table.source_schema) }} as source_schema,
{{ _string_or_null(table.source_table) }} as source_table
{%- endmacro %}


{% macro _string_or_null(value) -%}
{{ 'cast(null as string)' if value is none else adapter.string_literal(value) }}
{%- endmacro %}
