{# Of two keys that a table has, a single column is never NULL; a part of a composite one may be. #}
{% macro cdc_same_key_sql(cdc, left, right) -%}
{%- set comparison = cdc.key_comparison -%}
{%- set keys = cdc_key_columns(cdc) -%}
{%- for key in keys -%}
    {{ cdc_key_value_sql(left ~ '.' ~ adapter.quote(key), comparison) }} {{ '=' if keys | length == 1 else '<=>' }} {# -#}
    {{ cdc_key_value_sql(right ~ '.' ~ adapter.quote(key), comparison) }}{{ ' and ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
