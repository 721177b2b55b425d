{# One step of silver: the keys that got changes, their rows in silver before, and now. #}
{% macro cdc_step_rows_sql(cdc, silver, plan, step) -%}
changed_keys as (
    select {{ get_quoted_csv(cdc_key_columns(cdc)) }}
    from (
        {{ cdc_log_sql(cdc, plan, step.rows_sql, step.has_key_changes) | indent(8) }}
    )
),

rows_before as (
    select {{ 'silver.*' if step.continues else _columns_of('silver', cdc_key_columns(cdc)) }}
    from {{ silver }} version as of {{ step.silver_snapshot_id }} as silver
    left semi join changed_keys on {{ cdc_same_key_sql(cdc, 'silver', 'changed_keys') }}
),

rows_now as (
    select silver.*
    from {{ silver }} as silver
    left semi join changed_keys on {{ cdc_same_key_sql(cdc, 'silver', 'changed_keys') }}
)
{%- endmacro %}


{% macro _columns_of(alias, names) -%}
{% for name in names %}{{ alias }}.{{ adapter.quote(name) }}{{ ', ' if not loop.last }}{% endfor %}
{%- endmacro %}
