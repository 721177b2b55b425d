{# A table that the end of a command writes rows of, where its model has never run. #}
{% macro cdc_create_recorded(recorded, columns) %}
    {% set described = [] %}
    {% for name, type in columns.items() %}
        {% do described.append(name ~ ' ' ~ type) %}
    {% endfor %}
    {% do adapter.create_schema(recorded) %}
    {% do return(adapter.attempt(
        'create table if not exists ' ~ recorded ~ ' (' ~ described | join(', ') ~ ') using iceberg'
    )) %}
{% endmacro %}
