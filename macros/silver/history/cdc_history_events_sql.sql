{#
    The events of each key in order: the newest version that silver has of a key without late changes, the changes, and the
    ends that reset points bring. An event that was read twice counts once. The second one is left out
    before rows are put into structs: above them, Spark plans this filter for minutes where a table has twenty columns.
#}
{% macro cdc_history_events_sql(cdc, plan, silver, has_late, has_ends) -%}
{%- set keys = cdc.primary_key | map('lower') | list -%}
{%- if silver is not none -%}
newest as (
    select max_by(struct(silver.*), silver._cdc_sequence) as version
    from {{ silver }} as silver
    left semi join new_changes on {{ cdc_same_key_sql(cdc, 'silver', 'new_changes') }}
    {%- if has_late %}
    left anti join late_keys on {{ cdc_same_key_sql(cdc, 'silver', 'late_keys') }}
    {%- endif %}
    group by {{ cdc_key_list_sql(cdc, 'silver') }}
),
{% endif %}
delivered as (
    select
        {%- for column in plan %}
        {{ _event_value('', column, column.raw_type is not none) }},
        {%- endfor %}
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
    {%- if silver is not none %}
    union all
    select
        {%- for column in plan %}
        {{ _event_value('version.', column, true) }},
        {%- endfor %}
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
    {%- if has_ends %}
    union all
    select
        {%- for column in plan %}
        {{ _event_value('', column, column.name | lower in keys) }},
        {%- endfor %}
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


{% macro _event_value(prefix, column, is_there) -%}
{%- set name = adapter.quote(column.name) -%}
{{ prefix ~ name if is_there else 'cast(null as ' ~ column.type ~ ')' }} as {{ name }}
{%- endmacro %}
