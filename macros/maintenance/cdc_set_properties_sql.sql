{% macro cdc_set_properties_sql(table, properties) -%}
alter table {{ table }} set tblproperties (
    {%- for name, value in properties.items() %}
    {{ adapter.string_literal(name) }} = {{ adapter.string_literal(value) }}{{ ',' if not loop.last }}
    {%- endfor %}
)
{%- endmacro %}
