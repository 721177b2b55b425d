{# The records of a batch: one row for each row of its files, and each message. #}
{% macro cdc_records_sql(plan, rows) -%}
{%- if plan.format == 'csv' -%}
{{ cdc_csv_records_sql(plan.layout, rows) }}
{%- elif plan.format == 'parquet' -%}
{{ cdc_parquet_records_sql(plan.layout, rows.view) }}
{%- elif plan.format == 'json' -%}
{{ cdc_message_records_sql(plan.layout, rows.view) }}
{%- else -%}
{{ cdc_no_records_sql(plan.columns) }}
{%- endif -%}
{%- endmacro %}
