{#
    Tables of which the change that was committed last has a smaller position than one committed an hour or more before
    it: the source's log began again (docs/contracts.md section 6.1), and silver takes the new changes for old ones. Rows
    of snapshots are left out, and messages whose order is the sink's offset.
#}
{% macro cdc_restarted_positions_sql(splits) -%}
{%- for split in splits %}
select
    {{ adapter.string_literal(split.feed) }} as feed,
    source_schema,
    source_table,
    max(struct(position, committed_at)).committed_at as greatest_position_at,
    max(struct(committed_at, position)).committed_at as newest_change_at,
    max(struct(committed_at, position, path)).path as example
from {{ split.relation }}
where
    kind = 'change'
    and malformed is null
    and committed_at is not null
    and right(position, 1) = '0'
    and content rlike '"(__(source_)?)?(file|lsn|scn)"'
    and (
        {%- for table in split.tables %}
        (source_schema = {{ adapter.string_literal(table.source_schema) }} and source_table = {{ adapter.string_literal(table.source_table) }})
        {{- ' or' if not loop.last }}
        {%- else %}
        false
        {%- endfor %}
    )
group by source_schema, source_table
having
    max(struct(committed_at, position)).position < max(position)
    and max(struct(position, committed_at)).committed_at < max(committed_at) - interval 1 hour
{{ 'union all' if not loop.last }}
{%- else %}
select
    cast(null as string) as feed,
    cast(null as string) as source_schema,
    cast(null as string) as source_table,
    cast(null as timestamp) as greatest_position_at,
    cast(null as timestamp) as newest_change_at,
    cast(null as string) as example
where false
{%- endfor %}
{%- endmacro %}
