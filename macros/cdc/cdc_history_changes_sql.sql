{% macro cdc_history_changes_sql(cdc, changes, log_sql=none) -%}
{%- if log_sql is not none -%}
changes as (
    {{ log_sql | indent(4) }}
)
{%- else -%}
news as (
    {{ changes.sql | indent(4) }}
),

{{ cdc_changes_sql(cdc, changes) }}
{%- endif -%}
{%- endmacro %}
