{#
    Every key's changes in one array, folded from the first to the last: another algorithm than the model's, which
    takes the newest change per key. Expects the rows of bronze in `rows`; gives `folded`: change (the last one), state
    (live, sequence, image) and reset points.
#}
{% macro cdc_folded_log_sql(cdc, plan) -%}
reset_points as (
    select
        array_sort(collect_set({{ cdc_reset_point_sql() | indent(8) }})) as reset_points
    from rows
),

log as (
    {{ cdc_log_sql(cdc, plan, 'select * from rows', true) | indent(4) }}
),

lives as (
    select array_sort(collect_list(struct(_cdc_sequence, struct(*) as change))) as changes
    from log
    group by {{ cdc_key_list_sql(cdc) }}
),

folded as (
    select
        element_at(changes, -1).change as change,
        reset_points,
        aggregate(
            changes.change,
            {{ cdc_fold_start_sql(plan) | indent(12) }},
            (state, change) -> {{ cdc_fold_step_sql(cdc, plan) | indent(12) }}
        ) as state
    from lives
    cross join reset_points
)
{%- endmacro %}
