{# The newest run of each silver table: progress that is committed with the data, as run_metrics has recorded it. #}
{{ config(materialized='view', meta={'cdc': {'layer': 'view'}, 'runs_after_failures': true}) }}
select
    feed,
    source_schema,
    source_table,
    silver_table,
    bronze_snapshot_id,
    snapshot_id as silver_snapshot_id,
    batch_id as last_batch_id,
    newest_committed_at,
    unix_timestamp(current_timestamp()) - unix_timestamp(newest_committed_at) as lag_seconds,
    rows_total,
    rows_inserted,
    rows_updated,
    rows_deleted,
    committed_at as last_run_at
from {{ ref('run_metrics') }}
where is_newest
