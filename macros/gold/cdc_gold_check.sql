{# Decides how far a gold table is compared with its query (python_udfs/gold/check.py). #}
{% macro cdc_gold_check(gold) %}
    {% set name = gold.schema ~ '.' ~ gold.identifier %}
    {% for node in graph.nodes.values() if node.resource_type == 'model' and node.schema ~ '.' ~ node.alias == name %}
        {% do return(adapter.call_function('python_udfs.gold.check.plan_gold_check', {
            'warehouse': adapter, 'sql': context, 'nodes': dict(graph.nodes, **graph.sources), 'node': node,
            'gold': gold,
        })) %}
    {% endfor %}
{% endmacro %}
