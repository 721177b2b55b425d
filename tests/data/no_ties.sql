{#
    A tie is two different changes at one source position: which one wins is the same on every replay, but arbitrary.
    Guards against a row that looks right and is not.
#}
{{ config(severity='warn') }}
select
    silver_table,
    max_by(ties, committed_at) as ties,
    max(batch_id) as batch_id
from {{ ref('run_metrics') }}
where is_current
group by silver_table
having max_by(ties, committed_at) > 0
