{#
    Writes the metrics of the runs that no earlier run has written: one commit, none if no table has a new snapshot.
    `is_newest` is the partition column, so that what is recorded of each table is read from one small file.
#}
{% macro get_incremental_cdc_record_runs_sql(arguments) %}
    {% set recorded = arguments.existing_relation %}
    {% set new_runs = adapter.call_function('python_udfs.pipeline.run_metrics.plan_runs', {
        'warehouse': adapter, 'sql': context, 'recorded': recorded, 'tables': cdc_built('silver', ref),
        'names': var('cdc_metrics_of'),
    }) %}
    {% do arguments.update({'message': new_runs.message}) %}
    {% if not new_runs.is_new %}
        {% do return(none) %}
    {% elif recorded is none %}
        {% do return(create_table_as(false, this, arguments.sql)) %}
    {% endif %}
    {% do return(cdc_record_runs_sql(recorded, arguments.sql, new_runs)) %}
{% endmacro %}
