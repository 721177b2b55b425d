{# A delete may carry the row or its key only (docs/contracts.md section 1.7). #}
{% macro cdc_is_image_sql(cdc, plan) -%}
{%- set keys = cdc.primary_key | map('lower') | list -%}
_cdc_operation <> 'D'
{%- for column in plan if column.raw_type is not none and column.name | lower not in keys %}
or {{ adapter.quote(column.name) }} is not null
{%- endfor %}
{%- endmacro %}
