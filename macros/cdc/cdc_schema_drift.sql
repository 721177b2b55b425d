{# What the columns of one file would change in a table, in words; nothing for a table that has no columns yet. #}
{% macro cdc_schema_drift(cdc, columns, target_columns) %}
    {% set words = [] %}
    {% set target = {} %}
    {% for column in target_columns if not column.name.startswith('_cdc_') %}
        {% do target.update({column.name | lower: column.dtype | lower}) %}
    {% endfor %}
    {% for column in cdc_source_columns(cdc, {'columns': columns}) if target and not column.is_listed %}
        {% set type = target.get(column.name | lower) %}
        {% if type is none %}
            {% do words.append('column ' ~ column.name ~ ' ' ~ column.type ~ ' is new') %}
        {% elif column.type != type and not cdc_is_promotion(column.type, type) %}
            {% do words.append('column ' ~ column.name ~ ' is ' ~ column.type ~ ', expected ' ~ type) %}
        {% endif %}
    {% endfor %}
    {% do return(words | join('; ')) %}
{% endmacro %}
