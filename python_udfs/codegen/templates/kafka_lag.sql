{# << mark >> #}
{{ config(materialized='view') }}
{{ cdc_kafka_lag_sql(cdc_built('split', ref) | selectattr('is_kafka', 'defined')) }}
