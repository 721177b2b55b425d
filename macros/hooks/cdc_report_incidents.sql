{#
    Records what begins and ends to need a person, and has it reported (python_udfs/alerts). It comes first of what runs at
    the end: where another step fails, somebody is called all the same. Nothing here fails the command.
#}
{% macro cdc_report_incidents(results) %}
    {% set hook = 'python_udfs.alerts.hook.' %}
    {% set is_run = execute and flags.WHICH in ['build', 'run', 'test'] %}
    {% set incidents = cdc_relation_of('incidents') if is_run %}
    {% if is_run and adapter.call_function(hook ~ 'is_due', {'results': results, 'incidents': incidents | string}) %}
        {% set relations = cdc_built_of(['incidents', 'run_metrics', 'kafka_gaps']) %}
        {% set gaps = relations.get('kafka_gaps') %}
        {% set rows = adapter.call_function(hook ~ 'judge_incidents', {
            'results': results, 'nodes': graph.nodes, 'which': flags.WHICH, 'count_waiting': cdc_count_waiting,
            'failed_rows': cdc_failed_rows(results),
            'answers': {
                'incidents': _asked(cdc_incidents_sql(relations['incidents'])) if 'incidents' in relations else [],
                'runs': _asked(cdc_incident_runs_sql(relations['run_metrics'])) if 'run_metrics' in relations else [],
                'gaps': _asked('select * from ' ~ gaps ~ " where status = 'waiting'") if gaps else none,
            },
        }) %}
        {% set error = _record(incidents, 'incidents' in relations, rows) if rows %}
        {% do adapter.call_function(hook ~ 'not_written', {'error': error}) if error %}
    {% endif %}
{% endmacro %}


{% macro _asked(rows_sql) %}
    {% do return(cdc_json_rows(rows_sql, must_work=false)) %}
{% endmacro %}


{# The error, if they were not written. The view has texts, which the statement casts. #}
{% macro _record(incidents, exists, rows) %}
    {% set columns = cdc_incident_columns() %}
    {% do adapter.rows_view('incidents_new', rows, columns | list | join(' string, ') ~ ' string') %}
    {% set created = {'error': none} if exists else cdc_create_recorded(incidents, columns) %}
    {% set written = created if created.error else adapter.attempt(cdc_record_incidents_sql(incidents)) %}
    {% do return(written.error) %}
{% endmacro %}
