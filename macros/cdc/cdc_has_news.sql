{% macro cdc_has_news() %}
    {% for line in cdc_head_lines() if line.startswith('-- nothing new: ') %}
        {% do return(false) %}
    {% endfor %}
    {% do return(true) %}
{% endmacro %}
