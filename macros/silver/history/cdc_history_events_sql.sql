{#
    The events of each key in order: the newest version that silver has of a key without late changes, the changes, and
    the ends that reset points bring. An event that was read twice counts once. The second one is left out
    before rows are put into structs: above them, Spark plans this filter for minutes if a table has twenty columns.
#}
{% macro cdc_history_events_sql(cdc, rows, silver, has_late) -%}
{%- if rows.continues -%}
newest as (
    select max_by(struct(silver.*), silver._cdc_sequence) as version
    from {{ silver }} as silver
    left semi join new_changes on {{ cdc_same_key_sql(cdc, 'silver', 'new_changes') }}
    {{ 'left anti join late_keys on ' ~ cdc_same_key_sql(cdc, 'silver', 'late_keys') if has_late }}
    group by {{ cdc_key_list_sql(cdc, 'silver') }}
),
{% endif %}
delivered as (
    select
        {{ rows.delivered | join(',\n        ') }},
        _cdc_operation,
        _cdc_committed_at,
        _cdc_sequence,
        _cdc_generation,
        _cdc_batch_id,
        _cdc_unavailable_columns,
        _cdc_operation <> 'D' as _cdc_is_image,
        false as _cdc_is_stored,
        _cdc_committed_at as _cdc_at
    from changes
    {%- if rows.continues %}
    union all
    select
        {{ rows.stored | join(',\n        ') }},
        version._cdc_operation,
        version._cdc_committed_at,
        version._cdc_sequence,
        version._cdc_generation,
        version._cdc_batch_id,
        cast(null as array<string>) as _cdc_unavailable_columns,
        version._cdc_valid_to is null as _cdc_is_image,
        true as _cdc_is_stored,
        coalesce(version._cdc_valid_to, version._cdc_valid_from) as _cdc_at
    from newest
    {%- endif %}
    {%- if rows.has_ends %}
    union all
    select
        {{ rows.ended | join(',\n        ') }},
        'D' as _cdc_operation,
        _cdc_committed_at,
        _cdc_sequence,
        _cdc_generation,
        cast(null as bigint) as _cdc_batch_id,
        cast(null as array<string>) as _cdc_unavailable_columns,
        false as _cdc_is_image,
        false as _cdc_is_stored,
        _cdc_committed_at as _cdc_at
    from ends
    {%- endif %}
),

marked as (
    select
        *,
        lead(_cdc_sequence) over (
            partition by {{ cdc_key_list_sql(cdc) }} order by {{ cdc_row_order_sql() }}
        ) <=> _cdc_sequence as _cdc_is_again
    from delivered
),

events as (
    select *
    from marked
    where not _cdc_is_again
)
{%- endmacro %}
