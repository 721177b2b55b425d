{# Decides what a run does to a gold table (python_udfs/gold/plan.py). #}
{% macro cdc_gold_plan(query_sql, gold) %}
    {% do return(adapter.call_function('python_udfs.gold.plan.plan_gold', {
        'warehouse': adapter, 'sql': context, 'models': cdc_models(),
        'nodes': dict(graph.nodes, **graph.sources), 'model': model, 'config': config,
        'query_sql': query_sql, 'gold': gold, 'today': gold_today(),
        'started_at': modules.datetime.datetime.now(modules.pytz.utc),
    })) %}
{% endmacro %}
