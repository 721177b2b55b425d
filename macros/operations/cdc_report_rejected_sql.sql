{# How many files of each table are rejected and have not come again: as raw_processed_files, without its progress. #}
{% macro cdc_report_rejected_sql(listing, rejected_files) -%}
select
    feed,
    source_schema,
    source_table,
    count(*) as files
from (
    with progress as (
        {{ cdc_empty_rows_sql('progress') | indent(8) }}
    ),

    {{ cdc_file_status_sql(listing, rejected_files) | indent(4) }}
)
where status = 'rejected'
group by feed, source_schema, source_table
{%- endmacro %}
