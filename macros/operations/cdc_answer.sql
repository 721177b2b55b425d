{#
    An operation that a Python program runs (python_udfs/cli/operation.py) hands its result over: dbt passes what a
    macro logs to the program, and drops what it returns. Values are those that JSON can write.
#}
{% macro cdc_answer(value) %}
    {% do log('cdc_answer ' ~ tojson(value), info=false) %}
{% endmacro %}
