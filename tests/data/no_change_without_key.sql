{# A table without a key takes inserts only: an update or a delete names no row. Those of the last run are reported. #}
{{ config(severity='warn') }}
select
    silver_table,
    not_applied,
    batch_id
from {{ ref('run_metrics') }}
where is_newest and not_applied > 0 and {{ cdc_is_of_this_batch_sql(ref('run_metrics')) }}
