{% set checks = adapter.call_function('python_udfs.pipeline.casts.plan_checks', {
    'columns': given_plan('string'), 'warehouse': adapter,
}) %}
{{ cdc_lost_by_types_sql('bronze.shop__order', checks[:1], checks[1:]) }}
