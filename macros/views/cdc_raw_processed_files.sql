{#
    Whether an object is in bronze follows from bronze's own progress, so a rollback of bronze makes its objects
    wait again.
#}
{% macro cdc_raw_processed_files(bronze, inactive, split=[]) -%}
{#- The hook cdc_make_skipped_views may not ref(). -#}
{%- set in_hook = model is defined and model.resource_type | default('model') == 'operation' -%}
with progress as (
    {%- for table in bronze %}
    select
        {{ cdc_table_columns_sql(table) | indent(8) }},
        true as is_active,
        {%- if execute and load_relation(table.relation) is none %}
        0 as batch_id
        {%- else %}
        coalesce(
            (
                select max(cast(snapshots.summary['cdc.batch-id'] as bigint))
                from {{ table.relation }}.snapshots as snapshots
                inner join {{ table.relation }}.history as history on snapshots.snapshot_id = history.snapshot_id
                where history.is_current_ancestor
            ),
            (select max(_cdc_batch_id) from {{ table.relation }}),
            0
        ) as batch_id
        {%- endif %}
    union all
    {%- endfor %}
    {%- for feed in split %}
    select
        {{ adapter.string_literal(feed.feed) }} as feed,
        cast(null as string) as source_schema,
        cast(null as string) as source_table,
        true as is_active,
        {%- if execute and load_relation(feed.relation) is none %}
        0 as batch_id
        {%- else %}
        coalesce((select max(batch_id) from {{ feed.relation }}), 0) as batch_id
        {%- endif %}
    union all
    {%- endfor %}
    {%- for table in inactive %}
    select
        {{ cdc_table_columns_sql(table) | indent(8) }},
        false as is_active,
        0 as batch_id
    union all
    {%- endfor %}
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
        lead(true, 1, false) over (partition by feed, object_key order by modified_at, batch_id) as has_newer_version
    from {{ cdc_relation_of('raw_listing') if in_hook else ref('raw_listing') }}
),

rejected as (
    select
        path,
        size,
        modified_at,
        max(batch_id) as batch_id,
        max_by(rule, batch_id) as rule,
        max_by(reason, batch_id) as reason
    from {{ cdc_relation_of('rejected_files') if in_hook else ref('rejected_files') }}
    group by path, size, modified_at
)

select
    listing.* except (has_newer_version),
    case
        when listing.kind = 'vanished' then 'vanished'
        when listing.kind = 'ignored' then 'ignored'
        when listing.batch_id <= rejected.batch_id
            then if(rejected.rule in ('replaced', 'redelivered') or listing.has_newer_version, 'ignored', 'rejected')
        {#- A version that went and came back is read once. #}
        when
            progress.is_active
            and min(if(listing.batch_id > coalesce(rejected.batch_id, 0), listing.batch_id, null)) over (
                partition by listing.feed, listing.object_key, listing.size, listing.modified_at, listing.kind
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
