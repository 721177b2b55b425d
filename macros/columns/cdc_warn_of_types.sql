{# Warns of each column of another type than its seed's: bronze cannot follow it, or it follows files beyond it. #}
{% macro cdc_warn_of_types(table, cdc, plan) %}
    {% set listed = {} %}
    {% for column in cdc_source_columns(cdc, {'columns': []}) if column.is_listed %}
        {% do listed.update({column.name | lower: column.type}) %}
    {% endfor %}
    {% for column in plan %}
        {% set type = listed.get(column.name | lower, column.type) %}
        {% if cdc_is_behind(column) %}
            {% do exceptions.warn(
                table ~ ': column ' ~ column.name ~ ' is ' ~ column.type
                ~ ', seeds/cdc_columns.csv has ' ~ column.listed_type
                ~ '; values that do not fit are quarantined. Run ' ~ cdc_change_types_command(table) ~ '.'
            ) %}
        {% elif column.change and type != column.type %}
            {% do exceptions.warn(
                table ~ ': column ' ~ column.name ~ ' becomes ' ~ column.type ~ ', expected ' ~ type
                ~ ' (seeds/cdc_columns.csv): the files have that type, and schema_drift is evolve. Correct data_type.'
            ) %}
        {% endif %}
    {% endfor %}
{% endmacro %}
