{% macro cdc_same_key_sql(keys, left, right) -%}
{%- for key in keys -%}
    {{ left }}.{{ cdc_quote(key) }} <=> {{ right }}.{{ cdc_quote(key) }}{{ ' and ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
