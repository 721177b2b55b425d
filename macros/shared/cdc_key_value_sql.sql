{# A key column as it is compared: what the metadata says to ignore is taken away. #}
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
