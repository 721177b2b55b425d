{# What the query has to tell the statement that writes, by name. #}
{% macro cdc_marks() %}
    {% set marks = {'barrier': '', 'fills': '', 'inserts': '', 'replaces': '', 'replaces_all': ''} %}
    {% for line in model.compiled_code.split('\n') if line.strip().startswith('-- cdc mark ') %}
        {% set name, value = line.strip()[12:].split(': ', 1) %}
        {% do marks.update({name: value}) %}
    {% endfor %}
    {% do return(marks) %}
{% endmacro %}
