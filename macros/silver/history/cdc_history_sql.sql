{#
    The versions to write. A key without a late change continues from its newest version; one with a late change is
    derived from the whole log, as is every key where a reset point is new, and other versions of it in silver are deleted.
#}
{% macro cdc_history_sql(cdc, bronze, silver, changes, plan, derives_all) -%}
{%- set replays = silver is not none and (derives_all or changes.has_late) -%}
{%- set has_ends = changes.reset_point and (derives_all or changes.has_late) -%}
{%- set carries_forward = changes.has_partial or replays -%}
{%- set names = plan | map(attribute='name') | list + cdc_history_columns() -%}
{%- set rows_sql = cdc_bronze_range_sql(bronze, none, changes.to_snapshot_id, 0, changes.has_overwritten) -%}
{%- set log_sql = changes.sql if silver is none else cdc_log_sql(cdc, plan, rows_sql, true) -%}
with {{ _history_changes_sql(cdc, changes, log_sql if derives_all else none) }},
{% if has_ends %}
{{ cdc_history_ends_sql(cdc, rows_sql, 'changes' if derives_all else 'late_keys') }},
{% endif %}
{{ cdc_history_events_sql(cdc, plan, none if derives_all else silver, changes.has_late, has_ends) }},
{% if carries_forward %}
{{ cdc_history_images_sql(cdc, plan) }},
{% endif %}
{{ cdc_history_versions_sql(cdc, plan, 'images' if carries_forward else 'events') }}
{%- if replays %},

replayed as (
    select silver.*
    from {{ silver }} as silver
    {%- if not derives_all %}
    left semi join late_keys on {{ cdc_same_key_sql(cdc, 'silver', 'late_keys') }}
    {%- endif %}
)
{%- endif %}

select
    {{ get_quoted_csv(names) }}
    {{- ',\n    false as _cdc_is_gone' if silver is not none }}
from versions
{%- if replays %}
left anti join replayed
    on {% for name in names %}versions.{{ adapter.quote(name) }} <=> replayed.{{ adapter.quote(name) }}{{ '\n    and ' if not loop.last }}{% endfor %}
{%- endif %}
{%- if not derives_all %}
where not _cdc_is_stored or _cdc_valid_to is not null
{%- endif %}
{%- if replays %}
union all
select
    {{ get_quoted_csv(names) }},
    true as _cdc_is_gone
from replayed
left anti join versions
    on {{ cdc_same_key_sql(cdc, 'replayed', 'versions') }} and replayed._cdc_sequence = versions._cdc_sequence
{%- endif %}
{%- endmacro %}


{% macro _history_changes_sql(cdc, changes, log_sql=none) -%}
{%- if log_sql is not none -%}
changes as (
    {{ log_sql | indent(4) }}
)
{%- else -%}
new_changes as (
    {{ changes.sql | indent(4) }}
),

{{ cdc_changes_sql(cdc, changes) }}
{%- endif -%}
{%- endmacro %}
