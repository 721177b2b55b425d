{#
    The versions of a table's files that the listing shows, each with the rule that rejected it, or none, and the time
    of the rejection.
#}
{% macro cdc_listed_versions_sql(listing, rejected, cdc, last_batch_id, split=none) -%}
with listed as (
    select
        kind,
        file_key,
        size,
        modified_at,
        max_by(path, batch_id) as path,
        min(batch_id) as batch_id,
        max(batch_id) as last_batch_id
    from {{ listing }}
    where
        feed = {{ adapter.string_literal(cdc.feed) }}
        and batch_id <= {{ last_batch_id }}
        and (
            kind in ('load', 'change')
            and source_schema = {{ adapter.string_literal(cdc.source_schema) }}
            and source_table = {{ adapter.string_literal(cdc.source_table) }}
            {%- if split is not none %}
            or kind = 'multi_table'
            and file_key in (
                select multi_table.file_key
                from {{ split }} as multi_table
                where {{ cdc_in_batches_sql(cdc, 0) | indent(16) }}
            )
            {%- endif %}
        )
    group by kind, file_key, size, modified_at
)

select
    listed.kind,
    listed.file_key,
    listed.size,
    listed.modified_at,
    listed.path,
    listed.batch_id,
    coalesce(max(rejected.rule) filter (where rejected.rule <> 'replaced'), max(rejected.rule)) as rule,
    coalesce(
        max(rejected.rejected_at) filter (where rejected.rule <> 'replaced'), max(rejected.rejected_at)
    ) as rejected_at
from listed
left join {{ rejected }} as rejected
    on
        listed.path = rejected.path
        and listed.size = rejected.size
        and listed.modified_at = rejected.modified_at
        and listed.last_batch_id <= rejected.batch_id
group by all
{%- endmacro %}
