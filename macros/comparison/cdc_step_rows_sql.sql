{# One step of silver: the keys that got changes, their rows in silver before, and now. #}
{% macro cdc_step_rows_sql(comparison) -%}
{%- set cdc, silver, step = comparison.cdc, comparison.silver, comparison.step -%}
changed_keys as (
    select {{ get_quoted_csv(cdc_key_columns(cdc)) }}
    from (
        {{ cdc_log_sql(cdc, comparison.columns, step.rows_sql, step.has_key_changes) | indent(8) }}
    )
),

rows_before as (
    select {{ 'silver.*' if step.continues else cdc_names_sql(cdc_key_columns(cdc), 'silver') }}
    from {{ silver }} version as of {{ step.silver_snapshot_id }} as silver
    left semi join changed_keys on {{ cdc_same_key_sql(cdc, 'silver', 'changed_keys') }}
),

rows_now as (
    select silver.*
    from {{ silver }} as silver
    left semi join changed_keys on {{ cdc_same_key_sql(cdc, 'silver', 'changed_keys') }}
)
{%- endmacro %}
