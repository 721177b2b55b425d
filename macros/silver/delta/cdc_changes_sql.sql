{#
    The changes that decide what becomes of a key: new changes, or all that bronze ever got of the key where something
    older than what silver applied has come. A truncate that comes late concerns every key.
#}
{% macro cdc_changes_sql(cdc, changes) -%}
{%- if changes.has_late and not changes.has_late_truncate -%}
late_keys as (
    select distinct {{ get_quoted_csv(cdc_key_columns(cdc)) }}
    from new_changes
    where _cdc_sequence <= {{ adapter.string_literal(changes.applied_sequence) }}
),

log as (
    {{ changes.log_sql | indent(4) }}
),

changes as (
    select
        new_changes.*,
        false as _cdc_is_whole
    from new_changes
    left anti join late_keys on {{ cdc_same_key_sql(cdc, 'new_changes', 'late_keys') }}
    union all
    select
        log.*,
        true as _cdc_is_whole
    from log
    left semi join late_keys on {{ cdc_same_key_sql(cdc, 'log', 'late_keys') }}
)
{%- else -%}
changes as (
    select
        *,
        {{ 'true' if changes.has_late or not changes.applied_sequence else 'false' }} as _cdc_is_whole
    from {{ '(' ~ changes.log_sql ~ ')' if changes.has_late else 'new_changes' }}
)
{%- endif -%}
{%- endmacro %}
