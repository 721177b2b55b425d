{% macro cdc_key_text(key) %}
    {% set parts = [] %}
    {% for name, value in key.items() %}
        {% do parts.append(name ~ ' = ' ~ ('NULL' if value is none else value)) %}
    {% endfor %}
    {% do return(parts | join(', ')) %}
{% endmacro %}
