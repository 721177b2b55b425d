{# Those of a table's columns that the metadata knows as old names of another one. #}
{% macro cdc_old_columns(cdc, name, columns) %}
    {% set names = cdc_names_in_files(cdc, name)[1:] %}
    {% set old = [] %}
    {% for column in columns if column | lower in names %}
        {% do old.append(column) %}
    {% endfor %}
    {% do return(old) %}
{% endmacro %}
