{# Properties of a table, as `tblproperties` has them in a statement. #}
{% macro cdc_properties_sql(properties) -%}
tblproperties (
    {%- for name, value in properties.items() %}
    {{ adapter.string_literal(name) }} = {{ adapter.string_literal(value) }}{{ ',' if not loop.last }}
    {%- endfor %}
)
{%- endmacro %}
