{# What silver lacks, and what it has and should not: the whole log folded again, change by change, and compared. #}
{% macro cdc_silver_difference_sql(cdc, silver, bronze, snapshot_id, columns, plan) -%}
{%- set order_columns = ['_cdc_operation', '_cdc_committed_at', '_cdc_sequence', '_cdc_generation', '_cdc_batch_id'] -%}
{%- set keys = cdc.primary_key | map('lower') | list -%}
{%- set compared = columns | reject('in', order_columns) | list if cdc.get('unchanged_rows') == 'skip' else columns -%}
with rows as (
    {{ cdc_bronze_range_sql(bronze, none, snapshot_id, 0, true) | indent(4) }}
),

{{ cdc_folded_log_sql(cdc, plan) }},

expected as (
    select
        {%- for column in plan %}
        {%- set name = adapter.quote(column.name) %}
        {{ 'change.' if column.name | lower in keys else 'state.image.' }}{{ name }} as {{ name }},
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
),

{{ cdc_compared_sql(silver, compared, expected_where=none if cdc_is_soft(cdc) else 'not _cdc_is_deleted') }}
{%- endmacro %}
