{% macro cdc_cast_sql(column) -%}
{%- if column.raw_type is none -%}
    cast(null as {{ column.type }})
{%- elif column.raw_type == column.type -%}
    {{ cdc_quote(column.name) }}
{%- else -%}
    try_cast({{ cdc_quote(column.name) }} as {{ column.type }})
{%- endif -%}
{%- endmacro %}
