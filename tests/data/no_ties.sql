{#
    A tie is two different changes at one source position: which one wins is the same on every replay, but arbitrary.
    Guards against a row that looks right and is not.
#}
{{ config(severity='warn') }}
select
    silver_table,
    ties,
    batch_id
from {{ ref('run_metrics') }}
where is_newest and ties > 0 and {{ cdc_is_of_this_batch_sql(ref('run_metrics')) }}
