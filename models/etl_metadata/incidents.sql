{{ config(
    materialized='incremental',
    incremental_strategy='cdc_create',
    full_refresh=false,
    meta={'cdc': {'layer': 'etl_metadata'}}
) }}
{# The end of each dbt command writes the rows (cdc_report_incidents); this model only creates the table. #}
{{ cdc_empty_rows_sql('incidents') }}
