{# Computes the rows of a gold table whose inputs changed since the refresh that its newest commit records. #}
{% macro get_incremental_cdc_affected_sql(arguments) %}
    {% if flags.EMPTY %}
        {% do return(create_table_as(false, this, arguments.sql)) %}
    {% endif %}
    {% set plan = cdc_gold_plan(arguments.sql, arguments.existing_relation) %}
    {% do arguments.update({'message': plan.message, 'properties': plan.progress}) %}
    {% if plan.way == 'nothing' %}
        {% do return(none) %}
    {% endif %}
    {% do return(cdc_gold_write_sql(plan, arguments.existing_relation)) %}
{% endmacro %}
