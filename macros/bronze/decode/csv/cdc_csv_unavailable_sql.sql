{#
    A value is unavailable where the field is the feed's unavailable_value (docs/feeds/dms_format.md), and,
    if the feed keeps absent columns, where the file or the record has no such column.
#}
{% macro cdc_csv_unavailable_sql(cdc, plan) -%}
{%- set keys = cdc.primary_key | map('lower') | list -%}
{%- set word = cdc.options.unavailable_value -%}
{%- set keeps_absent = cdc.options.absent_columns == 'keep' -%}
{%- set conditions = {} -%}
{%- for column in plan if column.name | lower not in keys -%}
    {%- set alternatives = ['true'] if keeps_absent and column.raw_type is none else [] -%}
    {%- if column.raw_type is not none -%}
        {%- set position = cdc_csv_position_sql(cdc, column.name) -%}
        {%- if word -%}
            {%- set field = 'try_element_at(_cdc_fields, cast(' ~ position ~ ' as int))' -%}
            {%- do alternatives.append(field ~ ' = ' ~ adapter.string_literal(word)) -%}
        {%- endif -%}
        {%- if keeps_absent -%}
            {%- set is_absent = position ~ ' is null' if cdc.options.header else 'size(_cdc_fields) < ' ~ position -%}
            {%- do alternatives.append(is_absent) -%}
        {%- endif -%}
    {%- endif -%}
    {%- if alternatives -%}
        {%- do conditions.update({column.name: alternatives | join(' or ')}) -%}
    {%- endif -%}
{%- endfor -%}
{{ cdc_names_where_sql(conditions) }}
{%- endmacro %}
