{# What to group or partition by to have one group per key. #}
{% macro cdc_key_list_sql(cdc, alias=none) -%}
{%- for key in cdc_key_columns(cdc) -%}
    {{ cdc_key_value_sql((alias ~ '.' if alias else '') ~ adapter.quote(key), cdc.key_comparison) }}
    {{- ', ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
