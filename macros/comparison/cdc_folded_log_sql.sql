{#
    Every key's changes in one array, folded from the first to the last: another algorithm than the model's, which
    takes the newest change per key. Expects the rows of bronze in `rows`; gives `folded`: change (the last one), state
    (live, sequence, image), reset points and has_unknown (an operation that silver does not know). Rows without any
    value in the key are no key of silver. Of a step only `changed_keys` are folded, from their rows in `rows_before` if
    these hold values that the changes do not carry. A filter on the keys themselves would double with each key: Spark
    repeats it for each new name of a column.
#}
{% macro cdc_folded_log_sql(comparison) -%}
{%- set cdc = comparison.cdc -%}
reset_points as (
    {%- if comparison.step and not comparison.has_late %}
    select cast(array() as array<string>) as _cdc_reset_points
    {%- else %}
    select
        array_sort(collect_set({{ cdc_reset_point_sql() | indent(8) }})) as _cdc_reset_points
    from rows
    {%- endif %}
),

log as (
    {{ cdc_log_sql(cdc, comparison.columns, 'select * from rows', comparison.splits_keys) | indent(4) }}
),

lives as (
    select array_sort(collect_list(struct({{ cdc_row_order_sql() }}, struct(*) as change))) as _cdc_changes
    from log
    {{ 'left semi join changed_keys on ' ~ cdc_same_key_sql(cdc, 'log', 'changed_keys') if comparison.has_late }}
    group by {{ cdc_key_list_sql(cdc) }}
    {{ 'having bool_or(coalesce(' ~ comparison.key_texts | join(', ') ~ ') is not null)' if cdc.mode != 'append' }}
),

folded as (
    select
        element_at(_cdc_changes, -1).change as change,
        _cdc_reset_points as reset_points,
        exists(
            _cdc_changes, change -> coalesce(change.change._cdc_operation not in ('I', 'L', 'U', 'D'), true)
        ) as has_unknown,
        aggregate(
            _cdc_changes.change,
            {{ cdc_fold_start_sql(comparison) | indent(12) }},
            (state, change) -> {{ cdc_fold_step_sql(comparison) | indent(12) }}
        ) as state
    from lives
    cross join reset_points
    {{ 'left join rows_before on ' ~ cdc_same_key_sql(cdc, 'lives._cdc_changes[0].change', 'rows_before')
        if comparison.continues }}
)
{%- endmacro %}
