{{ config(
    materialized='incremental',
    incremental_strategy='cdc_create',
    full_refresh=false,
    meta={'cdc': {'layer': 'etl_metadata'}}
) }}
{# `make quality` appends the rows (python_udfs/quality/results.py); this model only creates the table. #}
{{ cdc_empty_rows_sql('expectation_results') }}
