{# The difference between a silver table and bronze, told the way that the table's mode wants. #}
{% macro cdc_difference_sql(cdc, silver, bronze, snapshot_id, columns, plan) -%}
{%- if cdc.mode == 'history' -%}
{{ cdc_history_difference_sql(cdc, silver, bronze, snapshot_id, plan) }}
{%- else -%}
{{ cdc_silver_difference_sql(cdc, silver, bronze, snapshot_id, columns, plan) }}
{%- endif -%}
{%- endmacro %}
