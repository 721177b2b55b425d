{% macro cdc_explain_columns(state, number) %}
    {% set names = [] %}
    {% for name, origin in state.origin.items() if origin == number %}
        {% do names.append(name) %}
    {% endfor %}
    {% do return('all values' if names and names | length == state.origin | length else names | join(', ')) %}
{% endmacro %}
