{#
    Whether a file is ingested follows from bronze's own progress, so that a rollback of a bronze table makes its files
    wait again.
#}
{{ config(materialized='view') }}
{# The last batch of each source table, and of the multi-table files of each feed, which have no source table. #}
with progress as (
    {% for table in cdc_tables() %}
    {% set is_active = 'bronze' in table or 'split' in table %}
    {% set relation = ref(table.get('bronze') or table.split) if is_active %}
    select
        {{ cdc_table_columns_sql(table) | indent(8) }},
        {{ is_active | lower }} as is_active,
        {% if not is_active or (execute and load_relation(relation) is none) %}
        {# The first build has yet to come, or failed. #}
        0 as batch_id
        {% elif 'split' in table %}
        coalesce((select max(batch_id) from {{ relation }}), 0) as batch_id
        {% else %}
        coalesce(
            (
                select max(cast(snapshots.summary['cdc.batch-id'] as bigint))
                from {{ relation }}.snapshots as snapshots
                inner join {{ relation }}.history as history on snapshots.snapshot_id = history.snapshot_id
                where history.is_current_ancestor
            ),
            {# The snapshots with progress may have expired. #}
            (select max(_cdc_batch_id) from {{ relation }}),
            0
        ) as batch_id
        {% endif %}
    union all
    {% endfor %}
    {# Without any table the columns are there all the same. #}
    select
        cast(null as string) as feed,
        cast(null as string) as source_schema,
        cast(null as string) as source_table,
        false as is_active,
        0 as batch_id
    where false
),

listing as (
    select
        *,
        lead(true, 1, false) over (partition by feed, file_key order by modified_at, batch_id) as has_newer_version
    from {{ ref('raw_listing') }}
),

rejected as (
    select
        path,
        size,
        modified_at,
        max(batch_id) as batch_id,
        max_by(rule, batch_id) as rule,
        max_by(reason, batch_id) as reason
    from {{ ref('rejected_files') }}
    group by path, size, modified_at
)

select
    listing.* except (has_newer_version),
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
