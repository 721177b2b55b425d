{% macro cdc_run_seconds_sql() -%}
round(
    unix_millis(cast(committed_at as timestamp)) / 1000
    - unix_millis(cast(summary['cdc.started-at'] as timestamp)) / 1000
    + cast(summary['cdc.bronze-seconds'] as double),
    3
)
{%- endmacro %}
