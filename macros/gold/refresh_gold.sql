{#
    Computes a part of a gold table again, frozen rows too, at the snapshots of the inputs that its newest commit names:
    dbt run-operation refresh_gold --args '{model: dws_user_agg, where: device_model = 1}'
#}
{% macro refresh_gold(model, where) %}
    {% set node = cdc_gold_node(model) %}
    {{ print(adapter.call_function('python_udfs.gold.refresh.refresh_gold', {
        'warehouse': adapter,
        'sql': context,
        'nodes': dict(graph.nodes, **graph.sources),
        'node': node,
        'query_sql': render(node.raw_code),
        'where': where,
        'today': gold_today(),
        'started_at': modules.datetime.datetime.now(modules.pytz.utc),
        'command': invocation_id,
    })) }}
{% endmacro %}
