{#
    One step of silver: the keys that got changes, their rows in silver before, and now. Where each change is newer than
    silver was, its row has a batch id above the one of before, so that of older files only keys are read.
#}
{% macro cdc_step_rows_sql(cdc, silver, columns, plan, step) -%}
{%- set keys = cdc_key_columns(cdc) | map('lower') | list -%}
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
    {%- if step.is_newest %}
    select {{ get_quoted_csv(columns) }}
    from {{ silver }}
    where _cdc_batch_id > {{ step.after_batch_id }}
    union all
    select
        {%- for name in columns %}
        {{ 'silver.' ~ adapter.quote(name) if name | lower in keys else 'null' }} as {{ adapter.quote(name) }}{{ ',' if not loop.last }}
        {%- endfor %}
    from {{ silver }} as silver
    left semi join changed_keys on {{ cdc_same_key_sql(cdc, 'silver', 'changed_keys') }}
    where _cdc_batch_id <= {{ step.after_batch_id }} or _cdc_batch_id is null
    {%- else %}
    select silver.*
    from {{ silver }} as silver
    left semi join changed_keys on {{ cdc_same_key_sql(cdc, 'silver', 'changed_keys') }}
    {%- endif %}
)
{%- endmacro %}


{% macro _columns_of(alias, names) -%}
{% for name in names %}{{ alias }}.{{ adapter.quote(name) }}{{ ', ' if not loop.last }}{% endfor %}
{%- endmacro %}
