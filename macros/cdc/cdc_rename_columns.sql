{% macro cdc_rename_columns(relation, cdc, allowed=none) %}
    {% if cdc.get('renamed_columns') %}
        {% set columns = adapter.get_columns_in_relation(relation) | map(attribute='name') | list %}
        {% for statement in cdc_rename_columns_sql(relation, cdc, columns, allowed) %}
            {% do run_query(statement) %}
        {% endfor %}
    {% endif %}
{% endmacro %}
