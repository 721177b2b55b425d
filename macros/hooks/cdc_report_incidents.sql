{#
    Records what begins and ends to need a person, and has it reported (python_udfs/alerts). It comes first of what runs
    at the end: where another step fails, somebody is called all the same. Nothing here fails the command.
#}
{% macro cdc_report_incidents(results) %}
    {% do adapter.call_function('python_udfs.alerts.hook.report_incidents', {
        'project': cdc_project(), 'results': results, 'nodes': graph.nodes, 'which': flags.WHICH,
    }) if execute %}
{% endmacro %}
