{# Logs which tables are older than they look because models failed, and the first rows that failed tests found. #}
{% macro cdc_report_failures(results) %}
    {% do adapter.call_function('python_udfs.pipeline.hooks.report_failures', {
        'warehouse': adapter, 'sql': context, 'results': results,
    }) if execute %}
{% endmacro %}
