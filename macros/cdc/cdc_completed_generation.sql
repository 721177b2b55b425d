{# The load generation that this run completes; none in a run that completes none. #}
{% macro cdc_completed_generation() %}
    {% set mark = cdc_generation_mark('') | trim %}
    {% if mark in model.compiled_code %}
        {% do return(model.compiled_code.split(mark)[1].split('\n')[0] | int) %}
    {% endif %}
    {% do return(none) %}
{% endmacro %}
