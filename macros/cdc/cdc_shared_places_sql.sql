{#
    Places, without their generation, that more than one object has, one of them in a batch that silver has not applied.
#}
{% macro cdc_shared_places_sql(cdc, listing, after_batch_id, last_batch_id) -%}
with objects as (
    select
        {{ cdc_dms_place_sql(has_generation=false) | indent(8) }} as place,
        object_key,
        batch_id
    from {{ listing }}
    where
        feed = {{ adapter.string_literal(cdc.feed) }}
        and source_schema = {{ adapter.string_literal(cdc.source_schema) }}
        and source_table = {{ adapter.string_literal(cdc.source_table) }}
        and kind in ('load', 'change')
        and batch_id <= {{ last_batch_id }}
)

select place
from objects
group by place
having count(distinct object_key) > 1 and max(batch_id) > {{ after_batch_id }}
{%- endmacro %}
