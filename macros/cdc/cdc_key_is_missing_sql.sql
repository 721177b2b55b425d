{% macro cdc_key_is_missing_sql(primary_key) -%}
{%- for key in primary_key -%}
    {{ cdc_quote(key) }} is null{{ ' and ' if not loop.last }}
{%- else -%}
    false
{%- endfor -%}
{%- endmacro %}
