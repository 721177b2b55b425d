{{ config(
    materialized='incremental',
    incremental_strategy='cdc_create',
    full_refresh=false,
    meta={'cdc': {'layer': 'etl_metadata'}}
) }}
{# `make quality` appends the rows (python_udfs/quality/results.py); this model only creates the table. #}
select
    {%- for name, type in cdc_result_columns().items() %}
    cast(null as {{ type }}) as {{ name }}{{ ',' if not loop.last }}
    {%- endfor %}
where false
