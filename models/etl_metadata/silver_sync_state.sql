{# Read from snapshot summaries alone: progress that is committed with the data cannot disagree with it. #}
{{ config(materialized='view') }}
with newest_runs as (
    {% for table in cdc_built('silver', ref) %}
    select
        {{ cdc_table_columns_sql(table) | indent(8) }},
        '{{ table.relation.schema }}.{{ table.relation.identifier }}' as silver_table,
        (select count(*) from {{ table.relation }}) as rows_total,
        max_by(snapshots.snapshot_id, history.made_current_at) as silver_snapshot_id,
        max_by(snapshots.summary, history.made_current_at)
            filter (where map_contains_key(snapshots.summary, 'cdc.batch-id')) as summary,
        max(snapshots.committed_at) filter (where map_contains_key(snapshots.summary, 'cdc.batch-id')) as last_run_at
    from {{ table.relation }}.snapshots as snapshots
    inner join {{ table.relation }}.history as history on snapshots.snapshot_id = history.snapshot_id
    {#- A snapshot that was rolled back is no progress. #}
    where history.is_current_ancestor
    {{ 'union all' if not loop.last }}
    {% endfor %}
)

select
    feed,
    source_schema,
    source_table,
    silver_table,
    cast(summary['cdc.bronze-snapshot-id'] as bigint) as bronze_snapshot_id,
    silver_snapshot_id,
    cast(summary['cdc.batch-id'] as bigint) as last_batch_id,
    cast(summary['cdc.committed-at'] as timestamp) as newest_committed_at,
    unix_timestamp(current_timestamp()) - unix_timestamp(cast(summary['cdc.committed-at'] as timestamp)) as lag_seconds,
    rows_total,
    {{ cdc_row_counts_sql() | indent(4) }},
    last_run_at
from newest_runs
