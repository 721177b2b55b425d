{% macro cdc_explain_value_sql(value, type) -%}
select try_cast({{ adapter.string_literal(value) }} as {{ type }}) is null as is_wrong
{%- endmacro %}
