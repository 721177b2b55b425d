{% macro cdc_same_key_sql(cdc, left, right) -%}
{%- set comparison = cdc.get('key_comparison', []) -%}
{%- for key in cdc_key_columns(cdc) -%}
    {{ cdc_key_value_sql(left ~ '.' ~ cdc_quote(key), comparison) }} <=> {# -#}
    {{ cdc_key_value_sql(right ~ '.' ~ cdc_quote(key), comparison) }}{{ ' and ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
