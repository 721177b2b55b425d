{# What the query has to tell the statement that writes, by name. #}
{% macro cdc_marks() %}
    {% set marks = {'barrier': '', 'fills': '', 'inserts': '', 'replaces': '', 'replaces_all': ''} %}
    {% for line in cdc_head_lines() if line.startswith('-- cdc mark ') %}
        {% set name, value = line[12:].split(': ', 1) %}
        {% do marks.update({name: value}) %}
    {% endfor %}
    {% do return(marks) %}
{% endmacro %}
