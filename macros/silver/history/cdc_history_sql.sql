{# The versions to write (python_udfs/pipeline/silver_rows.py, plan_history); of an existing table only changed ones. #}
{% macro cdc_history_sql(cdc, bronze, silver, changes, plan, derives_all) -%}
{%- set rows = adapter.call_function('python_udfs.pipeline.silver_rows.plan_history', {
    'warehouse': adapter, 'cdc': cdc, 'has_silver': silver is not none, 'changes': changes, 'columns': plan,
    'derives_all': derives_all,
}) -%}
{%- set rows_sql = cdc_bronze_range_sql(bronze, none, changes.to_snapshot_id, 0, changes.has_overwritten) -%}
with {% if derives_all %}changes as (
    {{ (changes.sql if silver is none else cdc_log_sql(cdc, plan, rows_sql, true)) | indent(4) }}
),
{%- else %}new_changes as (
    {{ changes.sql | indent(4) }}
),

{{ cdc_changes_sql(cdc, changes) }},
{%- endif %}
{% if rows.has_ends %}
{{ cdc_history_ends_sql(cdc, rows_sql, 'changes' if derives_all else 'late_keys') }},
{% endif %}
{{ cdc_history_events_sql(cdc, rows, silver, changes.has_late) }},
{% if rows.carries_forward %}
{{ cdc_history_images_sql(cdc, rows) }},
{% endif %}
{{ cdc_history_versions_sql(cdc, rows) }}
{%- if rows.replays %},

replayed as (
    select silver.*
    from {{ silver }} as silver
    {{ 'left semi join late_keys on ' ~ cdc_same_key_sql(cdc, 'silver', 'late_keys') if not derives_all }}
)

select
    {{ rows.names | join(', ') }},
    false as _cdc_is_gone
from versions
left anti join replayed
    on {{ rows.same_version | join('\n    and ') }}
where not _cdc_is_stored or _cdc_valid_to is not null
union all
select
    {{ rows.names | join(', ') }},
    true as _cdc_is_gone
from replayed
left anti join versions
    on {{ cdc_same_key_sql(cdc, 'replayed', 'versions') }} and replayed._cdc_sequence = versions._cdc_sequence
{%- else %}

select
    {{ rows.names | join(', ') }}{{ ',\n    false as _cdc_is_gone' if silver is not none }}
from versions
where not _cdc_is_stored or _cdc_valid_to is not null
{%- endif %}
{%- endmacro %}
