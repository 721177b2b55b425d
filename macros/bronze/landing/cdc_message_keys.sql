{# The key columns of a table as its messages name them, in lower case. #}
{% macro cdc_message_keys(cdc) %}
    {% set keys = [] %}
    {% for key in cdc.primary_key %}
        {% do keys.append(cdc_file_name(key) | lower) %}
    {% endfor %}
    {% do return(keys) %}
{% endmacro %}
