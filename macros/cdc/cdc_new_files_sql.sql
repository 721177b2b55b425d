{#
    A path seen in two versions since the last batch can be read in its newest version only: the older content is gone.
#}
{% macro cdc_new_files_sql(listing, rejected, cdc, after_batch_id, last_batch_id=none) -%}
select
    listing.path,
    listing.size,
    listing.modified_at,
    listing.kind,
    listing.object_key,
    listing.file_time,
    listing.generation,
    listing.batch_id,
    row_number() over (
        partition by listing.path
        order by listing.modified_at desc, listing.batch_id desc
    ) = 1 as is_newest
from {{ listing }} as listing
left anti join {{ rejected }} as rejected
    on
        listing.path = rejected.path
        and listing.size = rejected.size
        and listing.modified_at = rejected.modified_at
where
    listing.feed = {{ cdc_string_sql(cdc.feed) }}
    and listing.source_schema = {{ cdc_string_sql(cdc.source_schema) }}
    and listing.source_table = {{ cdc_string_sql(cdc.source_table) }}
    and listing.kind in ('load', 'change')
    and listing.batch_id > {{ after_batch_id }}
    {%- if last_batch_id is not none %}
    and listing.batch_id <= {{ last_batch_id }}
    {%- endif %}
{%- endmacro %}
