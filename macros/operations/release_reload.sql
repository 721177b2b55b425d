{#
    Completes the reloads of a table that wait for rows or files that could not be read: what they do not hold is
    removed by the next run of silver: dbt run-operation release_reload --args '{table: sampledb__product}'
#}
{% macro release_reload(table) %}
    {% set arguments = {'project': cdc_project(), 'table': table} %}
    {% do adapter.call_function('python_udfs.pipeline.replay.release_reload', arguments) %}
{% endmacro %}
