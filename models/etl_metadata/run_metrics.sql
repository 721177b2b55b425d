{#
    One row per commit of a run, written once from the summaries of silver's new snapshots
    (python_udfs/pipeline/run_metrics.py), so that it outlives them.
#}
{{ config(
    materialized='incremental',
    incremental_strategy='cdc_record_runs',
    partition_by=['is_newest'],
    full_refresh=false,
    meta={'cdc': {'layer': 'etl_metadata'}, 'runs_after_failures': true}
) }}
{% for table in cdc_built('silver', ref) %}
-- depends_on: {{ table.relation }}
{% endfor %}
with runs as (
    select
        *,
        {{ cdc_row_counts_sql() | indent(8) }}
    from run_metrics_new
)

select
    feed,
    source_schema,
    source_table,
    silver_table,
    snapshot_id,
    cast(committed_at as timestamp) as committed_at,
    is_current,
    is_newest,
    cast(summary['cdc.batch-id'] as bigint) as batch_id,
    cast(summary['cdc.changes'] as bigint) as changes,
    rows_inserted,
    rows_updated,
    rows_deleted,
    cast(summary['cdc.keys'] as bigint) - rows_inserted - rows_updated - rows_deleted as rows_unchanged,
    rows_total,
    coalesce(cast(summary['cdc.ties'] as bigint), 0) as ties,
    coalesce(cast(summary['cdc.not-applied'] as bigint), 0) as not_applied,
    cast(summary['cdc.bronze-snapshot-id'] as bigint) as bronze_snapshot_id,
    summary['cdc.sequence'] as sequence,
    cast(summary['cdc.committed-at'] as timestamp) as newest_committed_at,
    cast(summary['cdc.quarantined'] as bigint) as rows_quarantined,
    {{ cdc_run_seconds_sql() | indent(4) }} as run_seconds,
    bytes,
    data_files,
    delete_files,
    deleted_rows,
    coalesce(cast(summary['cdc.second-snapshot'] as boolean), false) as second_snapshot,
    coalesce(cast(summary['cdc.log-began-again'] as boolean), false) as log_began_again
from runs
