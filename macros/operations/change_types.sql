{#
    Gives the columns of a table the types of the seed, or those that its quarantined rows need, and rewrites bronze and
    silver, each by one commit. Killed at any point it is simply repeated; the next run completes silver, too:
    dbt run-operation change_types --args '{table: sampledb__product}'
#}
{% macro change_types(table) %}
    {% do adapter.call_function('python_udfs.retype.operation.change_types', {
        'project': cdc_project(), 'table': table, 'many_rows': var('cdc_replace_rows_from'),
    }) %}
{% endmacro %}
