{{ config(
    materialized='incremental',
    incremental_strategy='cdc_create',
    full_refresh=false,
    meta={'cdc': {'layer': 'etl_metadata'}}
) }}
{# Bronze models and splits write the rows; this model only creates the table. #}
select
    cast(null as string) as feed,
    cast(null as string) as source_schema,
    cast(null as string) as source_table,
    cast(null as string) as path,
    cast(null as bigint) as size,
    cast(null as timestamp) as modified_at,
    cast(null as string) as rule,
    cast(null as string) as reason,
    cast(null as bigint) as batch_id,
    cast(null as timestamp) as rejected_at
where false
