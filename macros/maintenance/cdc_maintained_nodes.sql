{% macro cdc_maintained_nodes(names, layer) %}
    {% set nodes = [] %}
    {% for node in cdc_models_of('bronze') + cdc_models_of('silver') %}
        {% set is_named = names is none or node.alias in names or node.schema ~ '.' ~ node.alias in names %}
        {% if is_named and layer in [none, node.config.meta.cdc.layer] %}
            {% do nodes.append(node) %}
        {% endif %}
    {% endfor %}
    {% do return(nodes) %}
{% endmacro %}
