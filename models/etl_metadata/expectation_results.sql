{{ config(
    materialized='incremental',
    incremental_strategy='cdc_create',
    full_refresh=false,
    meta={'cdc': {'layer': 'etl_metadata'}}
) }}
{# `make quality` appends the rows (python_udfs/quality/results.py); this model only creates the table. #}
select
    cast(null as timestamp) as run_at,
    cast(null as string) as silver_table,
    cast(null as string) as column_name,
    cast(null as string) as expectation,
    cast(null as string) as severity,
    cast(null as string) as scope,
    cast(null as string) as row_condition,
    cast(null as boolean) as success,
    cast(null as string) as observed_value,
    cast(null as string) as expected,
    cast(null as string) as message,
    cast(null as bigint) as snapshot_id,
    cast(null as bigint) as batch_id
where false
