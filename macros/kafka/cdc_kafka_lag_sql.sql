{#
    How far each partition is read: what the newest commit of its split table records. Only ancestors of the current
    snapshot count.
#}
{% macro cdc_kafka_lag_sql(splits) -%}
{%- for split in splits %}
{{ 'with progress as (' if loop.first }}
select
    {{ adapter.string_literal(split.feed) }} as feed,
    max(snapshots.committed_at) as read_at,
    max_by(snapshots.summary, snapshots.committed_at) as summary
from {{ split.relation }}.snapshots as snapshots
inner join {{ split.relation }}.history as history on snapshots.snapshot_id = history.snapshot_id
where history.is_current_ancestor and map_contains_key(snapshots.summary, 'cdc.kafka-offsets')
{{ 'union all' if not loop.last else '),' }}
{%- endfor %}

topics as (
    select
        feed,
        read_at,
        summary['cdc.kafka-cluster'] as cluster_id,
        from_json(summary['cdc.kafka-ends'], 'map<string, map<string, bigint>>') as ends,
        explode(from_json(summary['cdc.kafka-offsets'], 'map<string, map<string, bigint>>')) as (topic, offsets)
    from progress
    where summary is not null
),

partitions as (
    select
        feed,
        read_at,
        cluster_id,
        ends,
        topic,
        explode(offsets) as (partition, next_offset)
    from topics
)

select
    feed,
    cluster_id,
    topic,
    cast(partition as int) as partition,
    next_offset,
    ends[topic][partition] as end_offset,
    greatest(ends[topic][partition] - next_offset, 0) as messages_behind,
    read_at
from partitions
{%- endmacro %}
