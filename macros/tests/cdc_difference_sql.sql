{# The difference between a silver table and bronze, by the mode of the table. #}
{% macro cdc_difference_sql(cdc, silver, bronze, snapshot_id, columns, plan) -%}
{%- if cdc.mode == 'history' -%}
{{ cdc_history_difference_sql(cdc, silver, bronze, snapshot_id, plan) }}
{%- else -%}
{{ cdc_silver_difference_sql(cdc, silver, bronze, snapshot_id, columns, plan) }}
{%- endif -%}
{%- endmacro %}
