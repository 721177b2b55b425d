{# A row per truncate: no file says that a table was truncated, the listing does. #}
{% macro cdc_truncates_sql() -%}
truncates as (
    select
        object_key as _cdc_object_key,
        modified_at as _cdc_committed_at,
        generation as _cdc_generation,
        batch_id as _cdc_batch_id,
        place as _cdc_place,
        object as _cdc_object,
        version as _cdc_version,
        ingested_at as _cdc_ingested_at,
        cast(0 as bigint) as _cdc_row
    from files
    where kind = 'truncate'
)
{%- endmacro %}
