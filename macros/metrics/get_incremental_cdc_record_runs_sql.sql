{#
    Writes the metrics of the runs that no earlier run has written: one commit, none where no table has a new snapshot.
    `is_newest` is the partition column, so that what is recorded of each table is read from one small file.
#}
{% macro get_incremental_cdc_record_runs_sql(arguments) %}
    {% set recorded, asked = arguments.existing_relation, var('cdc_metrics_of') %}
    {% set tables = cdc_built('silver', ref) %}
    {% set new = adapter.call_function('python_udfs.pipeline.run_metrics.find_new_runs', {
        'warehouse': adapter, 'count_sql': cdc_count_sql,
        'tables': tables | selectattr('silver', 'in', asked) | list if asked else tables,
        'newest': none if recorded is none else cdc_newest_runs(recorded),
    }) %}
    {% do arguments.update({'message': new.message}) %}
    {% if not new.is_new %}
        {% do return(none) %}
    {% endif %}
    {% do adapter.rows_view('run_metrics_new', new.rows, new.schema) %}
    {% do return(
        create_table_as(false, this, arguments.sql) if recorded is none
        else cdc_record_runs_sql(recorded, arguments.sql, new)
    ) %}
{% endmacro %}
