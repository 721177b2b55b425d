{% macro cdc_csv_value_sql(cdc, name) -%}
{{ cdc_csv_text_sql(cdc, cdc_csv_position_sql(cdc, name)) }}
{%- endmacro %}
