{#
    Proves a gold model on random histories of its inputs, for some seconds:
    dbt run-operation prove_gold --args '{model: dws_user_agg, seconds: 30, seed: 1}'
#}
{% macro prove_gold(model, seconds=20, seed=1) %}
    {% set node = cdc_gold_node(model) %}
    {{ print(adapter.call_function('python_udfs.gold.prove.prove_gold', {
        'warehouse': adapter, 'sql': context, 'nodes': dict(graph.nodes, **graph.sources), 'node': node,
        'query_sql': render(node.raw_code), 'seconds': seconds, 'seed': seed,
    }, needs_spark=true)) }}
{% endmacro %}
