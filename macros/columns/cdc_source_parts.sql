{# The columns of the raw view that are the source's: not those that DMS adds. #}
{% macro cdc_source_parts(cdc, raw) %}
    {% set names = [] %}
    {% for column in raw.columns %}
        {% do names.append(column.get('file_name', column.name)) %}
    {% endfor %}
    {% set controls = cdc_control_columns(cdc, names) %}
    {% set parts = [] %}
    {% for column in raw.columns %}
        {% set name = names[loop.index0] %}
        {% if name not in controls and not cdc_is_added(cdc, name, names) %}
            {% do parts.append(column) %}
        {% endif %}
    {% endfor %}
    {% do return(parts) %}
{% endmacro %}
