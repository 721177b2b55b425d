{#
    Facts about the keys of a batch. The order of a key's changes does not matter: inserts and deletes of a row take
    turns, so that it had one delete more than inserts if the batch removed it. If it had as many of both, the row was
    there before and after, or never.
#}
{% macro cdc_key_counts_sql(cdc, new_changes) -%}
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
