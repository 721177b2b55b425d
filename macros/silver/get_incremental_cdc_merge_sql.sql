{# Writes what bronze got since the snapshot that silver's newest snapshot names; the write commits the progress. #}
{% macro get_incremental_cdc_merge_sql(arguments) %}
    {% set cdc = adapter.call_function('python_udfs.pipeline.table.read_cdc', {'node': model}) %}
    {% set name = model.refs[0].name %}
    {#- A reference has no rows with --empty, and cannot be read at a snapshot. -#}
    {% set bronze = cdc_relation_of(name) if flags.EMPTY else ref(name) %}
    {% if load_relation(bronze) is none %}
        {% do exceptions.raise_compiler_error(_bronze_is_missing_message(this, bronze)) %}
    {% endif %}
    {% set plan = adapter.call_function('python_udfs.pipeline.silver.make_plan', {
        'warehouse': adapter, 'sql': context, 'cdc': cdc, 'config': config,
        'this': this, 'bronze': bronze, 'silver': arguments.existing_relation,
        'started_at': modules.datetime.datetime.now(modules.pytz.utc),
        'is_empty': flags.EMPTY, 'many_rows': var('cdc_replace_rows_from'),
    }) %}
    {% do log(plan.notice, info=true) if plan.notice %}
    {% do arguments.update({'message': plan.message}) %}
    {% if plan.way == 'nothing' %}
        {% do return(none) %}
    {% endif %}
    {% do _prepare_write(plan) %}
    {% do return(cdc_silver_write_sql(cdc, bronze, plan)) %}
{% endmacro %}


{# All that is written before the statement: names, columns and types of the table, and what its commit records. #}
{% macro _prepare_write(plan) %}
    {% if plan.silver is not none %}
        {% do cdc_rename_columns(plan.silver, plan.renames) %}
        {% do cdc_evolve_columns(plan.silver, plan.columns) %}
    {% endif %}
    {% do adapter.set_snapshot_properties(plan.progress) %}
    {% do adapter.plan_once() if plan.is_small %}
{% endmacro %}


{% macro _bronze_is_missing_message(silver, bronze) -%}
CDC error in {{ silver }} (cdc_merge): its bronze table {{ bronze }} does not exist yet. Silver is built from bronze: run
`dbt build`, or `dbt run --select +{{ model.name }}`.
{%- endmacro %}
