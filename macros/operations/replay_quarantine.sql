{#
    Judges the quarantined rows of a table again and adds those that pass to bronze:
    dbt run-operation replay_quarantine --args '{table: salesdb__customer}'
#}
{% macro replay_quarantine(table) %}
    {% set arguments = {'project': cdc_project(), 'table': table} %}
    {% do adapter.call_function('python_udfs.pipeline.replay.replay_quarantine', arguments) %}
{% endmacro %}
