{# Every column as it is when a batch meets a table. #}
{% macro cdc_column_plan(source_columns, target_columns, policy='evolve') %}
    {% do return(adapter.call_function('python_udfs.pipeline.columns.plan_columns', {
        'source': source_columns, 'target': target_columns, 'policy': policy, 'warehouse': adapter,
    })) %}
{% endmacro %}
