{#
    One row per commit of a run, from the summaries of silver's own snapshots. A run that was rolled back, or that came
    before a rebuild, stays on record until its snapshot expires.
#}
{{ config(materialized='view') }}
{% set tables = cdc_built('silver', ref) %}
with runs as (
    {% for table in tables %}
    select
        {{ cdc_table_columns_sql(table) | indent(8) }},
        '{{ table.relation.schema }}.{{ table.relation.identifier }}' as silver_table,
        snapshot_id,
        committed_at,
        summary
    from {{ table.relation }}.snapshots
    where map_contains_key(summary, 'cdc.batch-id')
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

ancestors as (
    {% for table in tables %}
    select distinct
        '{{ table.relation.schema }}.{{ table.relation.identifier }}' as silver_table,
        snapshot_id
    from {{ table.relation }}.history
    where is_current_ancestor
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

counted as (
    select
        runs.*,
        ancestors.snapshot_id is not null as is_current,
        {{ cdc_row_counts_sql() | indent(8) }}
    from runs
    left join ancestors on runs.silver_table = ancestors.silver_table and runs.snapshot_id = ancestors.snapshot_id
)

select
    feed,
    source_schema,
    source_table,
    silver_table,
    snapshot_id,
    committed_at,
    is_current,
    cast(summary['cdc.batch-id'] as bigint) as batch_id,
    cast(summary['cdc.changes'] as bigint) as changes,
    rows_inserted,
    rows_updated,
    rows_deleted,
    cast(summary['cdc.keys'] as bigint) - rows_inserted - rows_updated - rows_deleted as rows_unchanged,
    coalesce(cast(summary['cdc.ties'] as bigint), 0) as ties,
    coalesce(cast(summary['cdc.not-applied'] as bigint), 0) as not_applied,
    cast(summary['cdc.bronze-snapshot-id'] as bigint) as bronze_snapshot_id,
    summary['cdc.sequence'] as sequence,
    cast(summary['cdc.committed-at'] as timestamp) as newest_committed_at
from counted
