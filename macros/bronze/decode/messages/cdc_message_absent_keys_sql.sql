{# The columns of the key that the image lacks. #}
{% macro cdc_message_absent_keys_sql(cdc, plan) -%}
{%- set keys = cdc.primary_key | map('lower') | list -%}
{%- set conditions = {} -%}
{%- for column in plan if column.name | lower in keys -%}
    {%- set alternatives = [] -%}
    {%- for name in cdc_names_in_files(cdc, column.name) -%}
        {%- set literal = adapter.string_literal(cdc_file_name(name)) -%}
        {%- do alternatives.append('not map_contains_key(raw.image, ' ~ literal ~ ')') -%}
    {%- endfor -%}
    {%- do conditions.update({column.name: alternatives | join(' and ')}) -%}
{%- endfor -%}
{{ cdc_names_where_sql(conditions) }}
{%- endmacro %}
