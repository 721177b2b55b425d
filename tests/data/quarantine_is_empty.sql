{# Rows in quarantine are kept and counted; somebody has to look at them. #}
{{ config(severity='warn') }}
select
    feed,
    source_schema,
    source_table,
    rule,
    min(reason) as example,
    count(*) as row_count
from {{ ref('quarantine') }}
where status = 'waiting'
group by feed, source_schema, source_table, rule
