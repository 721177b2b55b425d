{#
    Writes the metrics of the runs that no earlier run has written: one commit, none where no table has a new snapshot.
    `is_newest` is the partition column, so that what is recorded of each table is read from one small file.
#}
{% macro get_incremental_cdc_record_runs_sql(arguments) %}
    {% set recorded = arguments.existing_relation %}
    {% set tables, asked = cdc_built('silver', ref), var('cdc_metrics_of') %}
    {% set found = cdc_new_runs(recorded, tables | selectattr('silver', 'in', asked) | list if asked else tables) %}
    {% if not found.is_new %}
        {% do arguments.update({'message': 'nothing: no silver table has a new snapshot'}) %}
        {% do return(none) %}
    {% endif %}
    {% do arguments.update({'message': 'merge: runs=' ~ found.runs}) %}
    {% if recorded is none %}
        {% do return(create_table_as(false, this, arguments.sql)) %}
    {% endif %}
    {% do return(cdc_record_runs_sql(recorded, arguments.sql, found)) %}
{% endmacro %}
