{# A column that was renamed stands under one of its names. #}
{% macro cdc_message_value_sql(cdc, column) -%}
{%- set values = [] -%}
{%- for name in cdc_names_in_files(cdc, column.name) -%}
    {%- set value = 'raw.image[' ~ cdc_string_sql(cdc_file_name(name)) ~ ']' -%}
    {%- do values.append('unbase64(' ~ value ~ ')' if column.raw_type == 'binary' else value) -%}
{%- endfor -%}
{{ values[0] if values | length == 1 else 'coalesce(' ~ values | join(', ') ~ ')' }}
{%- endmacro %}
