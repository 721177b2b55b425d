{#
    The columns of a row of the operation R: the listing shows that a reload is complete, no file does. The row sorts behind
    the loads and before the changes.
#}
{% macro cdc_reload_rows_sql(generations, last_batch_id) -%}
reloads as (
    select
        cast(null as string) as _cdc_file_key,
        cast(null as timestamp) as _cdc_committed_at,
        generation as _cdc_generation,
        cast({{ last_batch_id }} as bigint) as _cdc_batch_id,
        concat('1.', repeat('0', 20)) as _cdc_file_position,
        repeat('0', 16) as _cdc_file_hash,
        repeat('0', 14) as _cdc_modified_millis,
        timestamp '{{ run_started_at.strftime("%Y-%m-%d %H:%M:%S.%f") }}+00:00' as _cdc_ingested_at,
        cast(0 as bigint) as _cdc_row
    from values {% for generation in generations %}({{ generation }}){{ ', ' if not loop.last }}{% endfor %} as complete (generation)
)
{%- endmacro %}
