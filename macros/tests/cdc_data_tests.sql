{# Decides what the data tests of this command ask (python_udfs/pipeline/data_tests.py); only if cdc_is_test. #}
{% macro cdc_data_tests() %}
    {% do return(adapter.call_function('python_udfs.pipeline.data_tests.DataTests', {
        'warehouse': adapter, 'models': cdc_models(), 'sql': context,
    })) %}
{% endmacro %}
