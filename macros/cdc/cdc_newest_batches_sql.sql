{#
    The newest batch of the listing that has objects of each table, and the newest with an object whose place in the
    order another one has too.
#}
{% macro cdc_newest_batches_sql(listing) -%}
with places as (
    select
        feed,
        source_schema,
        source_table,
        max(batch_id) as batch_id,
        kind <> 'truncate' and min(path) <> max(path) as is_shared
    from {{ listing }}
    where kind in ('load', 'change', 'truncate')
    group by feed, source_schema, source_table, kind, {{ cdc_dms_place_sql() | indent(4) }}
)

select
    feed,
    source_schema,
    source_table,
    max(batch_id) as batch_id,
    max(batch_id) filter (where is_shared) as shared_batch_id
from places
group by feed, source_schema, source_table
{%- endmacro %}
