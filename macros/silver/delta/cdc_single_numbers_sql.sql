{#
    As cdc_single_changes_sql, of a key of whole numbers that are dense. Bitmaps count them exactly, a quarter of the
    work of grouping. A key that is there twice, or is none, is one change more than there are bits.
#}
{% macro cdc_single_numbers_sql(key, changes) -%}
with new_changes as (
    {{ changes.sql | indent(4) }}
),

bitmaps as (
    select
        count(*) as changes,
        bitmap_count(bitmap_construct_agg(bitmap_bit_position({{ adapter.quote(key) }}))) as keys
    from new_changes
    group by bitmap_bucket_number({{ adapter.quote(key) }})
)

select sum(changes) = sum(keys) as has_single_changes
from bitmaps
{%- endmacro %}
