{#
    What one change makes of a row (docs/architecture.md): a value that it does not carry stays if the row
    lived, and no value outlives a truncate or a complete reload. A delete leaves the last image.
#}
{% macro cdc_fold_step_sql(plan) -%}
struct(
    change._cdc_operation <> 'D' as live,
    change._cdc_sequence as sequence,
    if(
        change._cdc_operation = 'D',
        state.image,
        struct(
            {%- for column in plan %}
            {%- set name = adapter.quote(column.name) %}
            case
                when array_contains(change._cdc_unavailable_columns, {{ adapter.string_literal(column.name) }}) is not true then change.{{ name }}
                when change._cdc_operation = 'U' and state.live
                    and not exists(_cdc_reset_points, reset_point -> reset_point > state.sequence and reset_point <= change._cdc_sequence) then state.image.{{ name }}
            end as {{ name }}{{ ',' if not loop.last }}
            {%- endfor %}
        )
    ) as image
)
{%- endmacro %}
