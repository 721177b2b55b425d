{#
    Records what begins and ends to need a person, and has it reported (python_udfs/alerts). It comes first of what runs at
    the end: where another step fails, somebody is called all the same. Nothing here fails the command.
#}
{% macro cdc_report_incidents(results) %}
    {% set hook = 'python_udfs.alerts.hook.' %}
    {% set is_run = execute and flags.WHICH in ['build', 'run', 'test'] %}
    {% if is_run and adapter.call_function(hook ~ 'is_due', {'results': results}) %}
        {% set relations = cdc_built_of(['incidents', 'run_metrics', 'kafka_gaps']) %}
        {% if 'incidents' in relations and 'run_metrics' in relations %}
            {% set gaps = relations.get('kafka_gaps') %}
            {% set rows = adapter.call_function(hook ~ 'judged', {
                'results': results, 'nodes': graph.nodes, 'which': flags.WHICH, 'count_waiting': cdc_count_waiting,
                'answers': {
                    'incidents': _attempted(cdc_incidents_sql(relations['incidents'])),
                    'runs': _attempted(cdc_incident_runs_sql(relations['run_metrics'])),
                    'gaps': _attempted('select * from ' ~ gaps ~ " where status = 'waiting'") if gaps else none,
                },
            }) %}
            {% if rows %}
                {% do adapter.rows_view('incidents_new', rows, _schema()) %}
                {% set written = adapter.attempt(cdc_record_incidents_sql(relations['incidents'])) %}
                {% do adapter.call_function(hook ~ 'not_written', {'error': written.error}) if written.error %}
            {% endif %}
        {% endif %}
    {% endif %}
{% endmacro %}


{# The rows of a query, each read from JSON; none where it failed. #}
{% macro _attempted(rows_sql) %}
    {% set asked = adapter.attempt('select to_json(struct(*)) as row_json from (\n' ~ rows_sql ~ '\n)') %}
    {% set rows = [] %}
    {% for row in asked.rows %}
        {% do rows.append(fromjson(row['row_json'])) %}
    {% endfor %}
    {% do return(none if asked.error else rows) %}
{% endmacro %}


{% macro _schema() %}
    {% do return(
        'kind string, subject string, silver_table string, message string, command string, opened_at string,'
        ~ ' looked_at string, ended_at string, opening_sent_at string, end_sent_at string'
    ) %}
{% endmacro %}
