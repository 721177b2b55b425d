{#
    The rest of a query that has a common table expression `progress`, the last batch of each source table and of the
    multi-table files of each feed: status and reason of every file version.
#}
{% macro cdc_file_status_sql(listing, rejected_files) -%}
listing as (
    select
        struct(*) as _cdc_file,
        {{ ['feed', 'source_schema', 'source_table', 'file_key', 'path', 'size', 'modified_at', 'kind', 'batch_id',
            'ignored_reason', 'first_seen_at'] | join(',\n        ') }},
        lead(true, 1, false) over (partition by feed, file_key order by modified_at, batch_id) as has_newer_version
    from {{ listing }}
),

rejected as (
    select
        path,
        size,
        modified_at,
        max(batch_id) as batch_id,
        max_by(rule, batch_id) as rule,
        max_by(reason, batch_id) as reason
    from {{ rejected_files }}
    group by path, size, modified_at
)

select
    listing._cdc_file.*,
    case
        when listing.kind = 'vanished' then 'vanished'
        when listing.kind = 'ignored' then 'ignored'
        when listing.batch_id <= rejected.batch_id
            then if(rejected.rule in ('replaced', 'redelivered') or listing.has_newer_version, 'ignored', 'rejected')
        {# A version that went and came back is read once, in the first batch after its rejection, if any. #}
        when
            progress.is_active
            and min(if(listing.batch_id > coalesce(rejected.batch_id, 0), listing.batch_id, null)) over (
                partition by listing.feed, listing.file_key, listing.size, listing.modified_at, listing.kind
            ) <= progress.batch_id
            then 'ingested'
        else 'waiting'
    end as status,
    case
        when listing.ignored_reason is not null then listing.ignored_reason
        when listing.kind = 'vanished' then concat('gone from the landing area, seen at ', listing.first_seen_at)
        when listing.batch_id <= rejected.batch_id then rejected.reason
        when progress.feed is null then 'no row in seeds/cdc_tables.csv'
        when not progress.is_active then 'the row in seeds/cdc_tables.csv is not active'
    end as reason
from listing
left join progress
    on
        listing.feed = progress.feed
        and listing.source_schema <=> progress.source_schema
        and listing.source_table <=> progress.source_table
left join rejected
    on
        listing.path = rejected.path
        and listing.size = rejected.size
        and listing.modified_at = rejected.modified_at
{%- endmacro %}
