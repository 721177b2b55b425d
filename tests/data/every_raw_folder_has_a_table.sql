{# A folder without metadata is reported until its table is added; its files wait and none is lost. #}
{{ config(severity='warn') }}
select
    feed,
    source_schema,
    source_table,
    count(*) as waiting_files
from {{ ref('raw_processed_files') }}
where status = 'waiting' and reason = 'no row in seeds/cdc_tables.csv'
group by feed, source_schema, source_table
