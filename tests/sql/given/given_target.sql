{# Columns of a table that is there already. #}
{% macro given_target() %}
    {% do return([{'name': 'id', 'dtype': 'int'}, {'name': 'note', 'dtype': 'string'}]) %}
{% endmacro %}
