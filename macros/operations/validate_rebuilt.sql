{% macro validate_rebuilt(cdc, bronze, rebuilt, snapshot_id) %}
    {% set columns = adapter.get_columns_in_relation(rebuilt) | map(attribute='name') | list %}
    {% set plan = cdc_log_plan(bronze, columns, cdc) %}
    {% set difference_sql = cdc_difference_sql(cdc, rebuilt, bronze, snapshot_id, columns, plan) ~ '\nlimit 5' %}
    {% do adapter.call_function('python_udfs.pipeline.operations.require_same_rows', {
        'rebuilt': rebuilt, 'bronze': bronze, 'differences': adapter.query(difference_sql)
    }) %}
{% endmacro %}
