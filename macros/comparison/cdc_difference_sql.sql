{# The difference between a silver table and bronze, by the mode of the table: all of it, or of one step. #}
{% macro cdc_difference_sql(cdc, silver, bronze, snapshot_id, columns, plan, step=none) -%}
{%- set comparison = adapter.call_function('python_udfs.pipeline.comparison.plan_comparison', {
    'warehouse': adapter, 'cdc': cdc, 'silver': silver, 'names': columns, 'columns': plan, 'step': step,
    'log_sql': step.log_sql if step else cdc_bronze_range_sql(bronze, none, snapshot_id, 0, true),
}) -%}
{%- if comparison.is_history -%}
{{ cdc_history_difference_sql(comparison) }}
{%- elif comparison.is_newest -%}
{{ cdc_newest_step_sql(comparison) }}
{%- else -%}
{{ cdc_silver_difference_sql(comparison) }}
{%- endif -%}
{%- endmacro %}
