{#
    Appends the rows of files that are new for a bronze table (python_udfs/pipeline/bronze.py decides). Before the write
    cdc_list_lost_files and cdc_apply_batch write, and nothing else here.
#}
{% macro get_incremental_cdc_append_sql(arguments) %}
    {% set cdc = adapter.call_function('python_udfs.pipeline.table.read_cdc', {'node': model}) %}
    {% set started_at = modules.datetime.datetime.now(modules.pytz.utc) %}
    {% set bronze = arguments.existing_relation %}
    {% set plan = _plan(cdc, bronze, started_at, arguments.verify) %}
    {% if plan.way == 'reread' %}
        {% do cdc_list_lost_files(cdc, bronze, plan.after_batch_id) %}
        {% set plan = _plan(cdc, bronze, started_at, arguments.verify, is_reread=true) %}
    {% endif %}
    {% do arguments.update({'message': plan.message, 'verified': plan.verified}) %}
    {% do arguments.update({'properties': cdc_apply_batch(cdc, plan)}) %}
    {% if plan.way == 'nothing' %}
        {% do return(none) %}
    {% endif %}
    {% set rows_sql = cdc_bronze_sql(cdc, plan.files_sql, plan.rows, plan.columns, plan.last_batch_id) %}
    {% if plan.way == 'create' %}
        {% do return(create_table_as(false, this, rows_sql)) %}
    {% endif %}
    {% do return('insert into ' ~ bronze ~ ' by name\n' ~ rows_sql) %}
{% endmacro %}


{% macro _plan(cdc, bronze, started_at, verify, is_reread=false) %}
    {#- A reference has no rows with --empty. -#}
    {% set table = adapter.call_function('python_udfs.pipeline.files.BronzeTable', {
        'name': this.identifier,
        'cdc': cdc,
        'listing': cdc_relation_of('raw_listing') if flags.EMPTY else ref('raw_listing'),
        'rejected': cdc_relation_of('rejected_files') if flags.EMPTY else ref('rejected_files'),
        'split': ref(cdc.split) if cdc.split else none,
    }) %}
    {% set run = adapter.call_function('python_udfs.pipeline.files.Run', {
        'nodes': graph.nodes, 'selected': selected_resources, 'is_empty': flags.EMPTY,
    }) %}
    {% do return(adapter.call_function('python_udfs.pipeline.bronze.plan_batch', {
        'warehouse': adapter, 'sql': context, 'owner': this, 'table': table, 'run': run, 'existing': bronze,
        'started_at': started_at, 'verify': verify, 'is_reread': is_reread,
    })) %}
{% endmacro %}
