{# Whether data tests run: one that is compiled, or has tables without rows (--empty), asks and records nothing. #}
{% macro cdc_is_test() %}
    {% do return(execute and not flags.EMPTY and flags.WHICH in ['test', 'build']) %}
{% endmacro %}
