{# The type of a key whose range can be written, so that files without any of it are left out; else none. #}
{% macro cdc_range_type(cdc, plan) %}
    {% if cdc.primary_key | length == 1 and not cdc.get('key_comparison') %}
        {% for column in plan if column.name | lower == cdc.primary_key[0] | lower %}
            {% if column.type.split('(')[0] in ['tinyint', 'smallint', 'int', 'bigint', 'decimal', 'date'] %}
                {% do return(column.type) %}
            {% endif %}
        {% endfor %}
    {% endif %}
    {% do return(none) %}
{% endmacro %}
