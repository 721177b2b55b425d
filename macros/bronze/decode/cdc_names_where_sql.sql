{# The names of which the condition holds; NULL if it is none. #}
{% macro cdc_names_where_sql(conditions) -%}
{%- if not conditions -%}
cast(null as array<string>)
{%- else -%}
nullif(
    array_compact(array(
        {%- for name, condition in conditions.items() %}
        case when {{ condition }} then {{ adapter.string_literal(name) }} end{{ ',' if not loop.last }}
        {%- endfor %}
    )),
    cast(array() as array<string>)
)
{%- endif -%}
{%- endmacro %}
