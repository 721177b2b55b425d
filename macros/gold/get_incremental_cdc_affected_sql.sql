{#
    Computes the rows of a gold table whose inputs changed since the refresh that its newest commit records
    (python_udfs/gold/plan.py decides, python_udfs/gold/write.py writes).
#}
{% macro get_incremental_cdc_affected_sql(arguments) %}
    {% if flags.EMPTY %}
        {% do return(create_table_as(false, this, arguments.sql)) %}
    {% endif %}
    {% set plan = adapter.call_function('python_udfs.gold.plan.plan_gold', {
        'warehouse': adapter, 'sql': context, 'models': cdc_models(),
        'nodes': dict(graph.nodes, **graph.sources), 'model': model, 'config': config,
        'query_sql': arguments.sql, 'gold': arguments.existing_relation, 'today': gold_today(),
        'started_at': modules.datetime.datetime.now(modules.pytz.utc),
    }) %}
    {% do arguments.update({'message': plan.message, 'properties': plan.progress}) %}
    {% if plan.way == 'nothing' %}
        {% do return(none) %}
    {% endif %}
    {% do return(adapter.call_function('python_udfs.gold.write.write_gold', {
        'warehouse': adapter, 'sql': context, 'plan': plan, 'gold': arguments.existing_relation, 'target': this,
        'config': config, 'command': invocation_id,
    })) %}
{% endmacro %}
