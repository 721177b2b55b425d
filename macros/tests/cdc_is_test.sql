{# Whether data tests run: a test that is parsed or compiled shows its query, and asks no table. #}
{% macro cdc_is_test() %}
    {% do return(execute and flags.WHICH in ['test', 'build']) %}
{% endmacro %}
