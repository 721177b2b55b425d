{# How many rows of a table have a key whose newest change in the batch is a delete. #}
{% macro cdc_count_deleted_sql(cdc, target, new_changes) -%}
select count(*) as rows_deleted
from {{ target }} as _cdc_target
where
    exists (
        select /*+ broadcast(deleted) */ 1
        from (
            select max_by(struct(*), struct({{ cdc_row_order_sql() }})) as change
            from {{ new_changes }}
            group by {{ cdc_key_list_sql(cdc) }}
            having change._cdc_operation = 'D'
        ) as deleted
        where {{ cdc_same_key_sql(cdc, '_cdc_target', 'deleted.change') }}
    )
{%- endmacro %}
