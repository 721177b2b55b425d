{# Inside a generic test the word model is the tested relation, so the test finds its model's metadata in the graph. #}
{% macro cdc_config_of(relation) %}
    {% for node in graph.nodes.values() if node.resource_type == 'model' %}
        {% if node.schema == relation.schema and node.alias == relation.identifier %}
            {% do return(node.config.meta.get('cdc', {})) %}
        {% endif %}
    {% endfor %}
    {% do return({}) %}
{% endmacro %}
