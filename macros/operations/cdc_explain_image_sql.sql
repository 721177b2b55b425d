{# Values as Spark writes them as text; JSON alone would lose digits of times and decimals. #}
{% macro cdc_explain_image_sql(names) -%}
to_json(map(
    {%- for name in names %}
    {{ adapter.string_literal(name) }}, {{ 'string(' ~ adapter.quote(name) ~ ')' }}{{ ',' if not loop.last }}
    {%- endfor %}
))
{%- endmacro %}
