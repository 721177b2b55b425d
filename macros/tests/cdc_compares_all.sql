{#
    Whether a test has to read the whole silver table: where only changed keys are compared, or nothing has changed,
    silver_matches_bronze covers what the other tests of the table state.
#}
{% macro cdc_compares_all(silver) %}
    {% do return(not cdc_is_test() or cdc_check_of(silver).depth in ['full', 'empty']) %}
{% endmacro %}
