{#
    Every key's changes in one array, folded from the first to the last: another algorithm than the model's, which
    takes the newest change per key. Expects the rows of bronze in `rows`; gives `folded`: change (the last one), state
    (live, sequence, image), reset points and has_unknown (an operation that silver does not know). Rows without any value
    in the key are no key of silver. Of a step only `changed_keys` are folded, from their rows in `rows_before` where these
    hold values that the changes do not carry.
#}
{% macro cdc_folded_log_sql(cdc, plan, step=none) -%}
reset_points as (
    {%- if step and not step.has_late %}
    select cast(array() as array<string>) as _cdc_reset_points
    {%- else %}
    select
        array_sort(collect_set({{ cdc_reset_point_sql() | indent(8) }})) as _cdc_reset_points
    from rows
    {%- endif %}
),

log as (
    {{ cdc_log_sql(cdc, plan, 'select * from rows', not step or step.splits_keys) | indent(4) }}
),

lives as (
    select array_sort(collect_list(struct({{ cdc_row_order_sql() }}, struct(*) as change))) as _cdc_changes
    from log
    {%- if step and step.has_late %}
    left semi join changed_keys on {{ cdc_same_key_sql(cdc, 'log', 'changed_keys') }}
    {%- endif %}
    group by {{ cdc_key_list_sql(cdc) }}
    {%- if cdc.mode != 'append' %}
    {#- A filter on the keys themselves would double with each key: Spark repeats it for each new name of a column. #}
    having bool_or(coalesce({% for key in cdc.primary_key %}cast({{ adapter.quote(key) }} as string){{ ', ' if not loop.last }}{% endfor %}) is not null)
    {%- endif %}
),

folded as (
    select
        element_at(_cdc_changes, -1).change as change,
        _cdc_reset_points as reset_points,
        exists(_cdc_changes, change -> coalesce(change.change._cdc_operation not in ('I', 'L', 'U', 'D'), true)) as has_unknown,
        aggregate(
            _cdc_changes.change,
            {{ cdc_fold_start_sql(cdc, plan, 'rows_before' if step and step.continues else none) | indent(12) }},
            (state, change) -> {{ cdc_fold_step_sql(plan) | indent(12) }}
        ) as state
    from lives
    cross join reset_points
    {%- if step and step.continues %}
    left join rows_before on {{ cdc_same_key_sql(cdc, 'lives._cdc_changes[0].change', 'rows_before') }}
    {%- endif %}
)
{%- endmacro %}
