{# The keys that a step changes, and those that silver had before: of a small table all, else only the changed ones. #}
{% macro cdc_step_keys_sql(table, step, number) -%}
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
