{# dbt's own macro, which sqlfluff does not have. #}
{% macro get_quoted_csv(names) -%}
{%- for name in names -%}
    {{ adapter.quote(name) }}{{ ', ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
