{% macro cdc_set_properties_sql(table, step) -%}
alter table {{ table }} set tblproperties (
    {%- for name, value in step.properties.items() %}
    {{ adapter.string_literal(name) }} = {{ adapter.string_literal(value) }}{{ ',' if not loop.last }}
    {%- endfor %}
)
{%- endmacro %}
