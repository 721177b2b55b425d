{#
    What raw_processed_files shows, with the progress that this command reads from the tables' metadata: the view has a
    query for each table.
#}
{% macro cdc_files_sql(listing, rejected_files) -%}
with progress as (
    select *
    from values
        {%- set ingested = cdc_data_tests().ingested() if cdc_is_test() else {} %}
        {%- for (feed, source_schema, source_table), table in ingested.items() %}
        (
            {{ adapter.string_literal(feed) }}, {{ cdc_string_or_null(source_schema) }},
            {{ cdc_string_or_null(source_table) }}, {{ table.is_active | lower }}, {{ table.batch_id }}
        ),
        {%- endfor %}
        (null, null, null, false, 0)
        as progress (feed, source_schema, source_table, is_active, batch_id)
    where feed is not null
),

{{ cdc_file_status_sql(listing, rejected_files) }}
{%- endmacro %}
