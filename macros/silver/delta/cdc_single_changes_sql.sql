{#
    Whether a batch has one change of every key. Whole numbers that are dense are counted by bitmaps, which are exact, a
    quarter of the work of grouping.
#}
{% macro cdc_single_changes_sql(cdc, changes, is_dense) -%}
{{ _single_numbers_sql(cdc, changes) if is_dense else _single_rows_sql(cdc, changes) }}
{%- endmacro %}


{# A key that is there twice, or is none, is one change more than there are bits. #}
{% macro _single_numbers_sql(cdc, changes) -%}
{%- set key = adapter.quote(cdc.primary_key[0]) -%}
with new_changes as (
    {{ changes.sql | indent(4) }}
),

bitmaps as (
    select
        count(*) as changes,
        bitmap_count(bitmap_construct_agg(bitmap_bit_position({{ key }}))) as keys
    from new_changes
    group by bitmap_bucket_number({{ key }})
)

select sum(changes) = sum(keys) as has_single_changes
from bitmaps
{%- endmacro %}


{% macro _single_rows_sql(cdc, changes) -%}
with new_changes as (
    {{ changes.sql | indent(4) }}
),

keys as (
    select count(*) as changes
    from new_changes
    group by {{ cdc_key_list_sql(cdc) }}
)

select max(changes) = 1 as has_single_changes
from keys
{%- endmacro %}
