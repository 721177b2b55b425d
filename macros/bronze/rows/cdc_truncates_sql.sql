{# A row per truncate that the listing shows: DMS writes none. #}
{% macro cdc_truncates_sql() -%}
truncates as (
    select
        file_key as _cdc_file_key,
        modified_at as _cdc_committed_at,
        generation as _cdc_generation,
        batch_id as _cdc_batch_id,
        file_position as _cdc_file_position,
        file_hash as _cdc_file_hash,
        modified_millis as _cdc_modified_millis,
        ingested_at as _cdc_ingested_at,
        cast(0 as bigint) as _cdc_row,
        cast(null as string) as _cdc_rule,
        cast(null as string) as _cdc_reason,
        cast(null as string) as _cdc_content
    from files
    where kind = 'truncate'
)
{%- endmacro %}
