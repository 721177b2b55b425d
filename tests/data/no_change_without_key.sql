{# A table without a key takes inserts only: an update or a delete names no row. Those of the last run are reported. #}
{{ config(severity='warn') }}
select
    silver_table,
    max_by(not_applied, committed_at) as not_applied,
    max(batch_id) as batch_id
from {{ ref('run_metrics') }}
where is_current
group by silver_table
having max_by(not_applied, committed_at) > 0
