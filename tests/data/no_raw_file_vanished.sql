{#
    Vanished files mean a truncate or a drop at the source (docs/feeds/dms_format.md), or somebody removed them:
    silver would not change. They are reported until they are back or their rows have an ignored_reason. The cell
    vanished_files in seeds/cdc_tables.csv can also ignore them, or truncate the table.
#}
{{ config(severity='warn') }}
{{ cdc_blocks_nothing() }}
{%- if not cdc_is_test() or cdc_data_tests().has_vanished_files(ref('raw_listing')) %}
with listing as (
    select
        *,
        row_number() over (partition by feed, path order by batch_id desc, modified_at desc) as age
    from {{ ref('raw_listing') }}
),

latest as (
    select *
    from listing
    where age = 1
),

{# A truncate has emptied the table, and a load that came with or after the loss restates it. #}
restated as (
    select
        feed,
        source_schema,
        source_table,
        max(batch_id) as batch_id
    from {{ ref('raw_listing') }}
    where kind in ('truncate', 'load')
    group by feed, source_schema, source_table
)

select
    latest.feed,
    latest.source_schema,
    latest.source_table,
    count(*) as files,
    min(latest.path) as example,
    min(latest.first_seen_at) as seen_at
from latest
left join restated
    on
        latest.feed = restated.feed
        and latest.source_schema = restated.source_schema
        and latest.source_table = restated.source_table
where
    latest.kind = 'vanished'
    and latest.ignored_reason is null
    and latest.batch_id > coalesce(restated.batch_id, 0)
    and {{ cdc_is_of_a_feed_sql('latest.feed') | indent(4) }}
    {%- for table in cdc_models_of('bronze') | map(attribute='cdc') if table.vanished_files == 'ignore' %}
    and not (
        latest.feed = {{ adapter.string_literal(table.feed) }}
        and latest.source_schema = {{ adapter.string_literal(table.source_schema) }}
        and latest.source_table = {{ adapter.string_literal(table.source_table) }}
    )
    {%- endfor %}
group by latest.feed, latest.source_schema, latest.source_table
order by seen_at desc
{%- endif %}
