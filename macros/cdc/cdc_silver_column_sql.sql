{% macro cdc_silver_column_sql(column, is_soft) -%}
{%- set name = adapter.quote(column.name) -%}
{%- if column.raw_type is none -%}
    cast(null as {{ column.type }})
{%- elif is_soft -%}
    if(image is null, change.{{ name }}, image.{{ name }})
{%- else -%}
    image.{{ name }}
{%- endif -%}
{%- endmacro %}
