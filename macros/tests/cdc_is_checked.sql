{# Whether the silver table of a bronze table has been compared with it, and is not due to be compared in full. #}
{% macro cdc_is_checked(bronze) %}
    {% set silver = cdc_table_of('silver', cdc_config_of(bronze)) %}
    {% set checked = cdc_checked_tables().get(silver.schema ~ '.' ~ silver.identifier) if silver else none %}
    {% do return(checked and not checked.is_due) %}
{% endmacro %}
