{#
    The question of `make report`: a few queries of small tables, none per table. Python makes pages of the answer
    (python_udfs/report). What is not built yet is an empty list.
#}
{% macro cdc_report(runs) %}
    {% set tables = [] %}
    {% for node in cdc_models_of('silver') %}
        {% set cdc = node.cdc %}
        {% do tables.append({
            'model': node.name, 'silver_table': node.relation, 'name': node.alias,
            'feed': cdc.feed, 'source_schema': cdc.source_schema, 'source_table': cdc.source_table, 'mode': cdc.mode,
            'description': node.description, 'is_partitioned': node.config.get('partition_by') is not none,
            'lag_limit_minutes': node.lag_limit_minutes,
        }) %}
    {% endfor %}
    {% set relations = cdc_built_of([
        'run_metrics', 'incidents', 'silver_checks', 'expectation_results', 'kafka_gaps', 'kafka_lag',
        'raw_listing', 'rejected_files',
    ]) %}
    {% set rejected = relations.get('rejected_files') %}
    {% set queries = {
        'runs': cdc_report_runs_sql(relations['run_metrics'], runs) if 'run_metrics' in relations,
        'incidents': cdc_report_incidents_sql(relations['incidents']) if 'incidents' in relations,
        'checks': 'select * from ' ~ relations['silver_checks'] if 'silver_checks' in relations,
        'expectations': cdc_report_expectations_sql(relations['expectation_results'])
            if 'expectation_results' in relations,
        'gaps': 'select * from ' ~ relations['kafka_gaps'] if 'kafka_gaps' in relations,
        'rejected': cdc_report_rejected_sql(relations['raw_listing'], rejected)
            if rejected and 'raw_listing' in relations and adapter.may_have_values(rejected, 'path'),
        'topics': 'select * from ' ~ relations['kafka_lag'] if 'kafka_lag' in relations,
    } %}
    {% set answer = {'tables': tables} %}
    {% for name, rows_sql in queries.items() %}
        {% do answer.update({name: cdc_json_rows(rows_sql) if rows_sql else []}) %}
    {% endfor %}
    {% do cdc_answer(answer) %}
{% endmacro %}

