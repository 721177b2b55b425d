{#
    Objects that are gone mean a truncate or a drop at the source (docs/contracts.md section 1.10), or somebody tidied
    up: silver would go on as if nothing had happened. Reported until they are back or somebody wrote an
    ignored_reason to their rows; a table can also ignore it, or be truncated, by its row in seeds/cdc_tables.csv.
#}
{{ config(severity='warn') }}
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

truncates as (
    select
        feed,
        source_schema,
        source_table,
        max(batch_id) as batch_id
    from {{ ref('raw_listing') }}
    where kind = 'truncate'
    group by feed, source_schema, source_table
)

select
    latest.feed,
    latest.source_schema,
    latest.source_table,
    count(*) as objects,
    min(latest.path) as example,
    min(latest.first_seen_at) as seen_at
from latest
left join truncates
    on
        latest.feed = truncates.feed
        and latest.source_schema = truncates.source_schema
        and latest.source_table = truncates.source_table
left join {{ ref('cdc_tables') }} as tables
    on
        latest.feed = tables.feed
        and latest.source_schema = tables.source_schema
        and latest.source_table = tables.source_table
where
    latest.kind = 'vanished'
    and latest.ignored_reason is null
    and latest.batch_id > coalesce(truncates.batch_id, 0)
    and coalesce(tables.vanished_files, '') <> 'ignore'
group by latest.feed, latest.source_schema, latest.source_table
