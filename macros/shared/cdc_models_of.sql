{# The models of a layer, looked up in dbt's graph once a command; none while dbt parses and the graph is empty. #}
{% macro cdc_models_of(layer) %}
    {% set layers = adapter.notes('layers') if execute else {} %}
    {% if layer not in layers %}
        {% set nodes = [] %}
        {% for node in (graph.nodes | default({})).values() if node.resource_type == 'model' %}
            {% if node.config.meta.get('cdc', {}).get('layer') == layer %}
                {% do nodes.append(node) %}
            {% endif %}
        {% endfor %}
        {% do layers.update({layer: nodes}) %}
    {% endif %}
    {% do return(layers[layer]) %}
{% endmacro %}
