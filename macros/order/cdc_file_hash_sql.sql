{# The hash of the file that a row's sequence names: 16 of its last 44 characters. #}
{% macro cdc_file_hash_sql(sequence) -%}
substring({{ sequence }}, -44, 16)
{%- endmacro %}
