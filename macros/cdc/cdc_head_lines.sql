{#
    The comments above the query of the compiled model. Marks stand only there: below, names and values of the source
    may hold any text, also a line that looks like a mark.
#}
{% macro cdc_head_lines() %}
    {% set lines = [] %}
    {% set head = namespace(goes_on=true) %}
    {% for line in model.compiled_code.split('\n') | map('trim') if head.goes_on %}
        {% set head.goes_on = line == '' or line.startswith('--') %}
        {% if head.goes_on and line %}
            {% do lines.append(line) %}
        {% endif %}
    {% endfor %}
    {% do return(lines) %}
{% endmacro %}
