{#
    Among what belongs to no table is the listing, which every run reads all of, and, where the catalog cannot hold views,
    what stands for them.
#}
{% macro cdc_maintained_nodes(names, layer) %}
    {% set nodes = [] %}
    {% set shared = cdc_models_of('etl_metadata') + cdc_models_of('split') %}
    {% set shared = shared if adapter.has_views() else shared + cdc_models_of('view') %}
    {% for node in shared + cdc_models_of('bronze') + cdc_models_of('silver') %}
        {% set is_named = names is none or node.alias in names or node.relation in names %}
        {% if is_named and layer in [none, 'etl_metadata' if node in shared else node.layer] %}
            {% do nodes.append(node) %}
        {% endif %}
    {% endfor %}
    {% do return(nodes) %}
{% endmacro %}
