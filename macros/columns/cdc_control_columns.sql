{#
    DMS writes `Op` so and no other way: a column `op` is the source's. The timestamp column is the one that has the
    name of the metadata; without it, the one that differs by case only.
#}
{% macro cdc_control_columns(cdc, names) %}
    {% set controls = [] %}
    {% if 'Op' in names and cdc.options.operation_column != 'never' and cdc.get('format') != 'json' %}
        {% do controls.append('Op') %}
    {% endif %}
    {% set timestamp = cdc.options.get('timestamp_column') or '' %}
    {% for name in names if name == timestamp or timestamp not in names and name | lower == timestamp | lower %}
        {% do controls.append(name) %}
    {% endfor %}
    {% do return(controls) %}
{% endmacro %}
