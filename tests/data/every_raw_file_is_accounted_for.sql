{#
    Guards the first promise: each raw file is ingested once, or has a reason. A file that still waits after a build was
    forgotten, unless its model failed; a build of some feeds sets cdc_checked_feeds to their names.
#}
{%- set listing, rejected = ref('raw_listing'), ref('rejected_files') %}
{%- set feeds = var('cdc_checked_feeds') %}
-- depends_on: {{ ref('raw_processed_files') }}
{%- set is_asked = not cdc_is_test() or adapter.may_have_values(rejected, 'path')
    or cdc_data_tests().has_open_tables(listing, with_metadata=true) %}
{%- if is_asked %}
select
    feed,
    source_schema,
    source_table,
    path,
    status,
    coalesce(reason, 'not in bronze yet') as reason
from (
    {{ cdc_files_sql(listing, rejected) | indent(4) }}
)
where
    (status = 'rejected' or (status = 'waiting' and reason is null))
    and {{ cdc_is_of_a_feed_sql() | indent(4) }}
    {%- for feed, source_schema, source_table in (cdc_data_tests().list_lost() if cdc_is_test() else []) %}
    and not (
        status = 'waiting'
        and feed = {{ adapter.string_literal(feed) }}
        and source_schema <=> {{ cdc_string_or_null(source_schema) }}
        and source_table <=> {{ cdc_string_or_null(source_table) }}
    )
    {%- endfor %}
    {%- if feeds %}
    and feed in ('{{ feeds | join("', '") }}')
    {%- endif %}
order by batch_id desc
{%- endif %}
