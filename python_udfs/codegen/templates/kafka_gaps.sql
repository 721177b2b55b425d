{# << mark >> #}
{{ config(materialized='view', meta={'keep_unchanged': false, 'runs_after_failures': true}, post_hook='{{ validate_kafka_gaps(this) }}') }}
{{ cdc_kafka_gaps_sql(cdc_built('split', ref) | selectattr('is_kafka', 'defined')) }}
