{% macro cdc_table_columns_sql(table) -%}
{{ cdc_string_sql(table.feed) }} as feed,
{{ cdc_string_sql(table.source_schema) }} as source_schema,
{{ cdc_string_sql(table.source_table) }} as source_table
{%- endmacro %}
