{# A folder without metadata is reported until its table is added; its files wait and none is lost. #}
{{ config(severity='warn') }}
-- depends_on: {{ ref('raw_processed_files') }}
{%- if not cdc_is_test() or cdc_data_tests().has_open_tables(ref('raw_listing'), with_metadata=false) %}
select
    feed,
    source_schema,
    source_table,
    count(*) as waiting_files
from (
    {{ cdc_files_sql(ref('raw_listing'), ref('rejected_files')) | indent(4) }}
)
where
    status = 'waiting'
    and reason = 'no row in seeds/cdc_tables.csv'
    and {{ cdc_is_of_a_feed_sql() | indent(4) }}
group by feed, source_schema, source_table
order by max(batch_id) desc
{%- endif %}
