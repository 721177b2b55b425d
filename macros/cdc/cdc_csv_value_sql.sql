{% macro cdc_csv_value_sql(cdc, name) -%}
{%- if cdc.options.header -%}
    {{ cdc_csv_text_sql(cdc, 'nullif(array_position(_cdc_header, ' ~ cdc_string_sql(name | lower) ~ '), 0)') }}
{%- else -%}
    {%- set names = cdc.columns | map(attribute='name') | list -%}
    {{ cdc_csv_text_sql(cdc, '_cdc_lead + ' ~ (names.index(name) + 1)) }}
{%- endif -%}
{%- endmacro %}
