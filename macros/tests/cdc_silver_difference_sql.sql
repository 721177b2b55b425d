{#
    What silver lacks, and what it has and should not: the log folded again, change by change, and compared. All of it, or
    one step: the keys with changes since a snapshot of silver.
#}
{% macro cdc_silver_difference_sql(cdc, silver, bronze, snapshot_id, columns, plan, step=none) -%}
{%- set order_columns = ['_cdc_operation', '_cdc_committed_at', '_cdc_sequence', '_cdc_generation', '_cdc_batch_id'] -%}
{%- set keys = cdc.primary_key | map('lower') | list -%}
{%- set compared = columns | reject('in', order_columns) | list if cdc.unchanged_rows == 'skip' else columns -%}
{%- set expected_where = 'not _cdc_is_deleted' if not cdc.is_soft else none -%}
with rows as (
    {{ (step.log_sql if step else cdc_bronze_range_sql(bronze, none, snapshot_id, 0, true)) | indent(4) }}
),
{% if step %}
{{ cdc_step_rows_sql(cdc, silver, plan, step) }},
{% endif %}
{{ cdc_folded_log_sql(cdc, plan, step) }},

expected as (
    select
        {%- for column in plan %}
        {%- set name = adapter.quote(column.name) %}
        {%- if column.name | lower in keys %}
        coalesce(state.image.{{ name }}, change.{{ name }}) as {{ name }},
        {%- else %}
        state.image.{{ name }},
        {%- endif %}
        {%- endfor %}
        {%- if cdc.mode == 'append' %}
        change._cdc_source_file,
        change._cdc_file_row,
        {%- endif %}
        {%- for name in order_columns %}
        change.{{ name }},
        {%- endfor %}
        change._cdc_operation = 'D' or exists(reset_points, reset_point -> reset_point > change._cdc_sequence) as _cdc_is_deleted
    from folded
    where not has_unknown
),

{% if step -%}
{{ cdc_step_compared_sql(compared, step, expected_where) }}
{%- else -%}
{{ cdc_compared_sql(silver, compared, expected_where) }}
{%- endif %}
{%- endmacro %}
