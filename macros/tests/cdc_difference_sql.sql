{# The difference between a silver table and bronze, by the mode of the table: all of it, or of one step. #}
{% macro cdc_difference_sql(cdc, silver, bronze, snapshot_id, columns, plan, step=none) -%}
{%- if cdc.mode == 'history' -%}
{{ cdc_history_difference_sql(cdc, silver, bronze, snapshot_id, plan, step) }}
{%- elif step and step.is_newest -%}
{{ cdc_newest_step_sql(cdc, silver, columns, plan, step) }}
{%- else -%}
{{ cdc_silver_difference_sql(cdc, silver, bronze, snapshot_id, columns, plan, step) }}
{%- endif -%}
{%- endmacro %}
