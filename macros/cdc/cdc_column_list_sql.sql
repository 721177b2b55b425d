{% macro cdc_column_list_sql(names) -%}
{%- for name in names -%}
    {{ cdc_quote(name) }}{{ ', ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
