{# Creates a table that others write to, once. #}
{% macro get_incremental_cdc_create_sql(arguments) %}
    {% if arguments.existing_relation is none %}
        {% do arguments.update({'message': 'create: no rows yet'}) %}
        {% do return(create_table_as(false, this, arguments.sql)) %}
    {% endif %}
    {% do arguments.update({'message': 'nothing: others write this table'}) %}
    {% do return(none) %}
{% endmacro %}
