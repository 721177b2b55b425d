{# How many rows of a table have a key whose newest change in the batch is a delete. #}
{% macro cdc_count_deleted_sql(cdc, target, news) -%}
select count(*) as rows_deleted
from {{ target }} as target
where
    exists (
        select /*+ broadcast(deleted) */ 1
        from (
            select max_by(struct(*), _cdc_sequence) as change
            from {{ news }}
            group by {{ cdc_key_list_sql(cdc) }}
            having change._cdc_operation = 'D'
        ) as deleted
        where {{ cdc_same_key_sql(cdc, 'target', 'deleted.change') }}
    )
{%- endmacro %}
