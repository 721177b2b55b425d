{#
    What the message itself says that it does not carry and, if the feed keeps absent columns, what its image lacks. A
    message without an image, such as a truncate, lacks nothing.
#}
{% macro cdc_message_unavailable_sql(cdc, plan) -%}
{%- set keys = cdc.primary_key | map('lower') | list -%}
{%- set keeps_absent = cdc.options.get('absent_columns') == 'keep' -%}
{%- set conditions = {} -%}
{%- for column in plan if column.name | lower not in keys -%}
    {%- set alternatives = [] -%}
    {%- for name in cdc_names_in_files(cdc, column.name) -%}
        {%- do alternatives.append('array_contains(raw.unavailable, ' ~ adapter.string_literal(cdc_file_name(name)) ~ ')') -%}
    {%- endfor -%}
    {%- if keeps_absent -%}
        {%- set name = cdc_file_name(column.name) | lower -%}
        {%- do alternatives.append('not map_contains_key(raw.image, ' ~ adapter.string_literal(name) ~ ')') -%}
    {%- endif -%}
    {%- do conditions.update({column.name: alternatives | join(' or ')}) -%}
{%- endfor -%}
{{ cdc_names_where_sql(conditions) }}
{%- endmacro %}
