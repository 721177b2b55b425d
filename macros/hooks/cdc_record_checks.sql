{# Records which silver tables agree with bronze: the next comparison begins there. #}
{% macro cdc_record_checks(results) %}
    {% do adapter.call_function('python_udfs.pipeline.hooks.record_checks', {
        'project': cdc_project(), 'results': results,
    }) if execute %}
{% endmacro %}
