{# The version of the object that a row's sequence names: its last 14 characters. #}
{% macro cdc_version_of_sql(sequence) -%}
right({{ sequence }}, 14)
{%- endmacro %}
