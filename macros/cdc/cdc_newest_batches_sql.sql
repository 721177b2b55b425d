{#
    What the listing has of each table: its newest batch, the one before the newest of all, the newest with an object whose
    place in the order another one has too; and how many objects of all tables the newest batch of all has.
#}
{% macro cdc_newest_batches_sql(listing) -%}
with objects as (
    select
        *,
        batch_id = (select max(newest.batch_id) from {{ listing }} as newest) as is_of_newest
    from {{ listing }}
    where kind in ('load', 'change', 'truncate')
),

places as (
    select
        feed,
        source_schema,
        source_table,
        max(batch_id) as batch_id,
        max(batch_id) filter (where not is_of_newest) as earlier_batch_id,
        count_if(is_of_newest) as objects,
        kind <> 'truncate' and min(path) <> max(path) as is_shared
    from objects
    group by feed, source_schema, source_table, kind, {{ cdc_dms_place_sql() | indent(4) }}
)

select
    feed,
    source_schema,
    source_table,
    max(batch_id) as batch_id,
    max(earlier_batch_id) as earlier_batch_id,
    max(batch_id) filter (where is_shared) as shared_batch_id,
    sum(sum(objects)) over () as objects
from places
group by feed, source_schema, source_table
{%- endmacro %}
