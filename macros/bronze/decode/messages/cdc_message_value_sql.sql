{# A column that was renamed stands under one of its names. A text that is no base64 has no bytes: NULL. #}
{% macro cdc_message_value_sql(cdc, column, as_text=false) -%}
{%- set values = [] -%}
{%- for name in cdc_names_in_files(cdc, column.name) -%}
    {%- do values.append('raw.image[' ~ adapter.string_literal(cdc_file_name(name)) ~ ']') -%}
{%- endfor -%}
{%- set text = values[0] if values | length == 1 else 'coalesce(' ~ values | join(', ') ~ ')' -%}
{{ text if as_text or column.raw_type != 'binary' else 'try_to_binary(' ~ text ~ ", 'base64')" }}
{%- endmacro %}
