{# The numbers of the steps in which a change updates a key that silver did not have, by hashes of keys. #}
{% macro cdc_unknown_keys_sql(checks, one_task) -%}
select distinct number
from (
    select number, min(change) as first
    from (
        select {{ '/*+ coalesce(1) */ ' if one_task }}*
        from (
            {%- for check in checks %}
            {{ _keys_of_step_sql(check.table, check.step, loop.index0) | indent(12) }}
            {{- '\n            union all' if not loop.last }}
            {%- endfor %}
        )
    )
    group by number, key
    having count(change) = count(*)
)
where first.operation = 'U' and not first.has_old_key
{%- endmacro %}


{# Spark writes a number into the code that it generates, and would compile that of each table. #}
{% macro _keys_of_step_sql(table, step, number) -%}
select
    '{{ number }}' as number,
    xxhash64({{ cdc_key_list_sql(table.cdc) }}) as key,
    struct(_cdc_sequence, _cdc_operation as operation, _cdc_old_key is not null as has_old_key) as change
from (
    {{ step.rows_sql | indent(4) }}
)
where _cdc_operation not in ('T', 'R', 'X')
union all
select
    '{{ number }}' as number,
    xxhash64({{ cdc_key_list_sql(table.cdc) }}) as key,
    null as change
from {{ table.silver }} version as of {{ step.silver_snapshot_id }} as silver
{%- if not step.is_small %}
left semi join (
    {{ step.rows_sql | indent(4) }}
) as changes on {{ cdc_same_key_sql(table.cdc, 'silver', 'changes') }}
{%- endif %}
{%- endmacro %}
