{# The command that gives a table other types, as it is typed into a shell. #}
{% macro cdc_change_types_command(bronze) %}
    {% do return("dbt run-operation change_types --args '{table: " ~ bronze.identifier ~ "}'") %}
{% endmacro %}
