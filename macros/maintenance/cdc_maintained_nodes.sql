{# Among what belongs to no table is the listing, which every run reads all of. #}
{% macro cdc_maintained_nodes(names, layer) %}
    {% set shared = cdc_models_of('etl_metadata') + cdc_models_of('split') %}
    {% set layers = {'etl_metadata': shared, 'bronze': cdc_models_of('bronze'), 'silver': cdc_models_of('silver')} %}
    {% set nodes = [] %}
    {% for every in layers if layer in [none, every] %}
        {% for node in layers[every] %}
            {% if names is none or node.alias in names or node.schema ~ '.' ~ node.alias in names %}
                {% do nodes.append(node) %}
            {% endif %}
        {% endfor %}
    {% endfor %}
    {% do return(nodes) %}
{% endmacro %}
