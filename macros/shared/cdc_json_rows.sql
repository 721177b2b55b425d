{# Each row is read from JSON, so that numbers and times come as they are. #}
{% macro cdc_json_rows(rows_sql, must_work=true) %}
    {% set asked = adapter.attempt('select to_json(struct(*)) as row_json from (\n' ~ rows_sql ~ '\n)') %}
    {% if asked.error and must_work %}
        {% do exceptions.raise_compiler_error(asked.error) %}
    {% endif %}
    {% set rows = [] %}
    {% for row in asked.rows %}
        {% do rows.append(fromjson(row['row_json'])) %}
    {% endfor %}
    {% do return(none if asked.error else rows) %}
{% endmacro %}
