{#
    What silver lacks, and what it has and should not: the log folded again, change by change, and compared. All of it,
    or one step: the keys with changes since a snapshot of silver.
#}
{% macro cdc_silver_difference_sql(comparison) -%}
{%- set expected_where = none if comparison.keeps_deleted else 'not _cdc_is_deleted' -%}
with rows as (
    {{ comparison.log_sql | indent(4) }}
),
{% if comparison.step %}
{{ cdc_step_rows_sql(comparison) }},
{% endif %}
{{ cdc_folded_log_sql(comparison) }},

expected as (
    select
        {{ comparison.expected | join(',\n        ') }},
        change._cdc_operation,
        change._cdc_committed_at,
        change._cdc_sequence,
        change._cdc_generation,
        change._cdc_batch_id,
        change._cdc_operation = 'D'
            or exists(reset_points, reset_point -> reset_point > change._cdc_sequence) as _cdc_is_deleted
    from folded
    where not has_unknown
),

{{ cdc_step_compared_sql(comparison, expected_where) if comparison.step
    else cdc_compared_sql(comparison.silver, comparison.compared, expected_where) }}
{%- endmacro %}
