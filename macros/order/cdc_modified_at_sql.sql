{# The version of the file that a row's sequence names: its last 14 characters. #}
{% macro cdc_modified_at_sql(sequence) -%}
right({{ sequence }}, 14)
{%- endmacro %}
