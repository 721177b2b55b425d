{#
    What one change makes of a row (docs/architecture.md): a value that it does not carry stays if the row
    lived, and no value outlives a truncate or a complete reload. A delete leaves the last image.
#}
{% macro cdc_fold_step_sql(comparison) -%}
struct(
    change._cdc_operation <> 'D' as live,
    change._cdc_sequence as sequence,
    if(
        change._cdc_operation = 'D',
        state.image,
        struct(
            {{ comparison.image_after | join(',\n            ') }}
        )
    ) as image
)
{%- endmacro %}
