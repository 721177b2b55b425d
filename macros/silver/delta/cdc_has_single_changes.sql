{#
    Whether a first, large batch has one change of every key, as the load of a table has: then nothing is grouped, and the
    table keeps the order of its files. To ask reads no more than the keys. Whole numbers that are dense are counted by
    bitmaps, which are exact, a quarter of the work of grouping.
#}
{% macro cdc_has_single_changes(cdc, changes) %}
    {% if cdc.mode != 'current' or changes.changes < var('cdc_replace_rows_from') %}
        {% do return(false) %}
    {% endif %}
    {% set is_dense = _has_dense_keys(changes) %}
    {% set sql = _single_numbers_sql(cdc, changes) if is_dense else _single_changes_sql(cdc, changes) %}
    {% do return(run_query(sql).rows[0]['has_single_changes']) %}
{% endmacro %}


{# Whether one in eight numbers of the key's range, or more, may be a key. #}
{% macro _has_dense_keys(changes) %}
    {% set range = changes.key_range %}
    {% if not range or range.first is none or range.type not in ['tinyint', 'smallint', 'int', 'bigint'] %}
        {% do return(false) %}
    {% endif %}
    {% do return(range.last | int - range.first | int < 8 * changes.changes) %}
{% endmacro %}


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


{% macro _single_changes_sql(cdc, changes) -%}
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
