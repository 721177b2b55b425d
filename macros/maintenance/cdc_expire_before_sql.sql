{#
    Snapshots are kept from the oldest one on that progress needs: the newest that carries the table's own, in bronze
    the one that silver names, and those that gold names, until gold has not followed a change for gold_days.
#}
{% macro cdc_expire_before_sql(relation, reader, needed, settings) -%}
least(
    current_timestamp() - make_dt_interval({{ settings.older_than_days }}),
    {%- if reader %}
    (
        select named.committed_at
        from {{ relation }}.snapshots as named
        inner join (
            {{ cdc_progress_sql(reader) | indent(12) }}
        ) as reader
            on named.snapshot_id = from_json(reader.progress, 'map<string, string>')['cdc.bronze-snapshot-id']
    ),
    {%- endif %}
    {%- if needed %}
    (
        {{ _held_by_gold_sql(relation, needed, settings.gold_days) | indent(8) }}
    ),
    {%- endif %}
    (
        select max(own.committed_at)
        from {{ relation }}.snapshots as own
        inner join {{ relation }}.history as lineage on own.snapshot_id = lineage.snapshot_id
        where
            lineage.is_current_ancestor
            and (
                map_contains_key(own.summary, 'cdc.batch-id')
                or map_contains_key(own.summary, 'refresh-state')
            )
    )
)
{%- endmacro %}


{# The oldest snapshot that gold names and whose first change after it is young enough. A compaction is no change. #}
{% macro _held_by_gold_sql(relation, needed, gold_days) -%}
select min(held.committed_at)
from (
    select
        named.committed_at,
        min(later.committed_at) as moved_at
    from {{ relation }}.snapshots as named
    left join {{ relation }}.snapshots as later
        on named.committed_at < later.committed_at and later.operation <> 'replace'
    where named.snapshot_id in ({{ needed | join(', ') }})
    group by named.snapshot_id, named.committed_at
) as held
where held.moved_at is null or held.moved_at > current_timestamp() - make_dt_interval({{ gold_days }})
{%- endmacro %}
