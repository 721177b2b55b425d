{# The models of a layer, as dbt's graph has them; none while dbt parses and the graph is empty. #}
{% macro cdc_models_of(layer) %}
    {% set nodes = [] %}
    {% for node in (graph.nodes | default({})).values() if node.resource_type == 'model' %}
        {% if node.config.meta.get('cdc', {}).get('layer') == layer %}
            {% do nodes.append(node) %}
        {% endif %}
    {% endfor %}
    {% do return(nodes) %}
{% endmacro %}
