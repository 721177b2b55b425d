{# The names of columns of an alias. #}
{% macro cdc_names_sql(names, alias) -%}
{% for name in names %}{{ alias }}.{{ adapter.quote(name) }}{{ ', ' if not loop.last }}{% endfor %}
{%- endmacro %}
