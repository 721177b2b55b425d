{# The last batch of a bronze table that its silver table was compared with; 0 where all of it is to be read. #}
{% macro cdc_checked_batch_id(bronze) %}
    {% set silver = cdc_table_of('silver', cdc_config_of(bronze)) %}
    {% set checked = cdc_checked_tables().get(silver.schema ~ '.' ~ silver.identifier) if silver else none %}
    {% do return(checked.batch_id if checked and not checked.is_due else 0) %}
{% endmacro %}
