{# The command that gives a table other types, as it is typed into a shell. #}
{% macro cdc_change_types_command(bronze) %}
    {% do return(adapter.call_function('python_udfs.alerts.commands.change_types', {'table': bronze.identifier})) %}
{% endmacro %}
