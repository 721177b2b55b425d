{% macro cdc_cast_sql(column) -%}
{%- if column.raw_type is none -%}
    cast(null as {{ column.type }})
{%- elif column.raw_type == column.type -%}
    {{ adapter.quote(column.name) }}
{%- else -%}
    {{ cdc_try_cast_sql(adapter.quote(column.name), column.raw_type, column.type) }}
{%- endif -%}
{%- endmacro %}
