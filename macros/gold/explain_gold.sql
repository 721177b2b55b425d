{#
    Shows how changes of its inputs lead to keys of a gold table, and what would be computed in full:
    dbt run-operation explain_gold --args '{model: dws_user_agg}'
#}
{% macro explain_gold(model) %}
    {% set node = cdc_gold_node(model) %}
    {{ print(adapter.call_function('python_udfs.gold.explain.explain_gold', {
        'warehouse': adapter, 'nodes': dict(graph.nodes, **graph.sources), 'node': node,
        'query_sql': render(node.raw_code), 'today': gold_today(),
    })) }}
{% endmacro %}
