{#
    The newest change of every key that bronze has new changes of. A row that is only marked as deleted keeps its last
    image; that of the delete is never used (docs/architecture.md). A row older than the last truncate or
    complete reload is gone (tests/e2e/CASES.md, 40).
#}
{% macro cdc_silver_sql(cdc, changes, plan, is_first) -%}
{%- set rows = adapter.call_function('python_udfs.pipeline.silver_rows.plan_current', {
    'warehouse': adapter, 'cdc': cdc, 'changes': changes, 'columns': plan, 'is_first': is_first,
}) -%}
{%- set newest = 'max_by(struct(*), struct(' ~ cdc_row_order_sql() ~ '))' -%}
with new_changes as (
    {{ changes.sql | indent(4) }}
),

{{ cdc_changes_sql(cdc, changes) }},
{% if rows.carries_forward %}
{{ cdc_carried_forward_sql(cdc, plan, changes) }},
{% endif %}
newest as (
    {%- if changes.has_single_changes %}
    select
        struct(*) as change,
        {{ "if(_cdc_operation <> 'D', struct(*), null)" if rows.keeps_deleted else 'struct(*)' }} as image
    from {{ 'carried_forward' if rows.carries_forward else 'changes' }}
    {%- else %}
    select
        {{ newest }} as change,
        {{ newest }}{{ " filter (where _cdc_operation <> 'D')" if rows.keeps_deleted }} as image
    from {{ 'carried_forward' if rows.carries_forward else 'changes' }}
    group by {{ cdc_key_list_sql(cdc) }}
    {%- endif %}
)

select
    {{ rows.columns | join(',\n    ') }},
    change._cdc_operation,
    change._cdc_committed_at,
    change._cdc_sequence,
    change._cdc_generation,
    change._cdc_batch_id
from newest
{{ 'where ' ~ rows.conditions | join(' and ') if rows.conditions }}
{%- endmacro %}
