{% macro cdc_changes_sql(cdc, bronze, changes) -%}
{%- if changes.has_late -%}
late_keys as (
    select distinct {{ cdc_column_list_sql(cdc.primary_key) }}
    from news
    where _cdc_sequence <= {{ cdc_string_sql(changes.applied_sequence) }}
),

log as (
    {{ cdc_bronze_range_sql(bronze, none, changes.to_snapshot_id, 0) | indent(4) }}
),

changes as (
    select *
    from news
    union all
    select log.*
    from log
    left semi join late_keys on {{ cdc_same_key_sql(cdc.primary_key, 'log', 'late_keys') }}
)
{%- else -%}
changes as (
    select *
    from news
)
{%- endif -%}
{%- endmacro %}
