{% macro cdc_cast_sql(column) -%}
{%- if column.raw_type is none -%}
    cast(null as {{ column.type }})
{%- elif column.raw_type == column.type -%}
    {{ cdc_quote(column.name) }}
{%- else -%}
    {{ cdc_try_cast_sql(cdc_quote(column.name), column.raw_type, column.type) }}
{%- endif -%}
{%- endmacro %}
