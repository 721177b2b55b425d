{#
    How many of the rows that a batch removed it has deleted. The changes show it, unless they contradict the rows that were
    there; then the table is queried.
#}
{% macro cdc_count_deleted(cdc, target, new_changes, has_deletes, rows_removed) %}
    {% if not has_deletes %}
        {% do return(0) %}
    {% endif %}
    {% set keys = run_query(_key_counts_sql(cdc, new_changes)).rows[0] %}
    {% if 0 <= rows_removed - keys['rows_before'] <= keys['rows_unclear'] %}
        {% do return(keys['rows_deleted']) %}
    {% endif %}
    {% do return(run_query(_count_deleted_sql(cdc, target, new_changes)).rows[0]['rows_deleted']) %}
{% endmacro %}


{# How many rows of a table have a key whose newest change in the batch is a delete. #}
{% macro _count_deleted_sql(cdc, target, new_changes) -%}
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


{#
    Facts about the keys of a batch. The order of a key's changes does not matter: inserts and deletes of a row take turns,
    so that it had one delete more than inserts if the batch removed it. Where it had as many of both, the row was there
    before and after, or never.
#}
{% macro _key_counts_sql(cdc, new_changes) -%}
with keys as (
    select
        sum(case when _cdc_operation in ('I', 'L') then 1 when _cdc_operation = 'D' then -1 else 0 end) as added,
        bool_or(_cdc_operation in ('I', 'L')) as has_inserts
    from {{ new_changes }}
    group by {{ cdc_key_list_sql(cdc) }}
)

select
    count_if(added < 0) as rows_deleted,
    count_if(added < 0 or (added = 0 and not has_inserts)) as rows_before,
    count_if(added = 0 and has_inserts) as rows_unclear
from keys
{%- endmacro %}
