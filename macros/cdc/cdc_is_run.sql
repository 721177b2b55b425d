{% macro cdc_is_run() %}
    {% do return(execute and flags.WHICH in ['run', 'build', 'retry']) %}
{% endmacro %}
