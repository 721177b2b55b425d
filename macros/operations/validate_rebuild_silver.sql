{% macro validate_rebuild_silver(node, bronze) %}
    {% if bronze is none %}
        {% do exceptions.raise_compiler_error(
            'CDC error (rebuild_silver): ' ~ node.alias ~ ' has no bronze table to be built from. Run `dbt build --select +'
            ~ node.name ~ '`.'
        ) %}
    {% endif %}
    {% set names = [] %}
    {% for column in adapter.get_columns_in_relation(bronze) if not column.name.startswith('_cdc_') %}
        {% do names.append(column.name) %}
    {% endfor %}
    {% if not names %}
        {% do exceptions.raise_compiler_error(
            'CDC error (rebuild_silver): no row of ' ~ node.alias ~ ' has arrived yet; there is nothing to rebuild.'
        ) %}
    {% endif %}
{% endmacro %}
