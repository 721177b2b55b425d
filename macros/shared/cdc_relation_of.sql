{# The relation of a model by its name, where a reference would draw a dependency that is not one. #}
{% macro cdc_relation_of(name) %}
    {% for node in graph.nodes.values() if node.resource_type == 'model' and node.name == name %}
        {% do return(cdc_node_relation(node)) %}
    {% endfor %}
{% endmacro %}
