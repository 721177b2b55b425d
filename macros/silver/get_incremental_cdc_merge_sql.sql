{# Writes what bronze got since the snapshot that silver's newest snapshot names; the write commits the progress. #}
{% macro get_incremental_cdc_merge_sql(arguments) %}
    {% set cdc = adapter.call_function('python_udfs.pipeline.table.read_cdc', {'node': model}) %}
    {#- A reference has no rows with --empty, and cannot be read at a snapshot. -#}
    {% set bronze = cdc_relation_of(model.refs[0].name) if flags.EMPTY else ref(model.refs[0].name) %}
    {% set plan = adapter.call_function('python_udfs.pipeline.silver.make_plan', {
        'warehouse': adapter, 'sql': context, 'cdc': cdc, 'config': config, 'model': model.name,
        'this': this, 'bronze': bronze, 'silver': arguments.existing_relation,
        'started_at': modules.datetime.datetime.now(modules.pytz.utc),
        'is_empty': flags.EMPTY, 'many_rows': var('cdc_replace_rows_from'),
    }) %}
    {% do log(plan.notice, info=true) if plan.notice %}
    {% do arguments.update({'message': plan.message, 'properties': plan.progress}) %}
    {% do return(adapter.call_function('python_udfs.pipeline.silver_writes.write_plan', {
        'warehouse': adapter, 'sql': context, 'cdc': cdc, 'bronze': bronze, 'this': this, 'plan': plan,
        'invocation_id': invocation_id,
    })) %}
{% endmacro %}
