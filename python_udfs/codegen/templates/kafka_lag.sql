{# << mark >> #}
{{ config(materialized='view', meta={'runs_after_failures': true}) }}
{{ cdc_kafka_lag_sql(cdc_built('split', ref) | selectattr('is_kafka', 'defined')) }}
