{# A column's value in bronze; NULL for a text that is no UTF-8: other engines refuse a table that has one. #}
{% macro cdc_bronze_value_sql(cdc, column) -%}
{%- set value = cdc_cast_sql(column) -%}
{%- if cdc.format == 'parquet' and column.type == 'string' and column.raw_type in ['string', 'binary'] -%}
    if(size(_cdc_text_failures) = 0, {{ value }}, try_validate_utf8({{ value }}))
{%- else -%}
    {{ value }}
{%- endif -%}
{%- endmacro %}
