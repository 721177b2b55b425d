{# A key column as it is compared: case or trailing spaces that key_comparison ignores are removed. #}
{% macro cdc_key_value_sql(column, comparison) -%}
{%- set value = column -%}
{%- if 'ignore_trailing_spaces' in comparison -%}
    {%- set value = 'rtrim(' ~ value ~ ')' -%}
{%- endif -%}
{%- if 'ignore_case' in comparison -%}
    {%- set value = 'lower(' ~ value ~ ')' -%}
{%- endif -%}
{{ value }}
{%- endmacro %}
