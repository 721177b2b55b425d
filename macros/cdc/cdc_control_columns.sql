{% macro cdc_control_columns(cdc) %}
    {% set names = [] if cdc.options.operation_column == 'never' or cdc.get('format') == 'json' else ['op'] %}
    {% if cdc.options.get('timestamp_column') %}
        {% do names.append(cdc.options.timestamp_column | lower) %}
    {% endif %}
    {% do return(names) %}
{% endmacro %}
