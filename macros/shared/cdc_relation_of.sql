{#
    The relation of a model, whether it has been built or not: of a node of dbt's graph, or of a name where a reference
    would draw a dependency that is not one.
#}
{% macro cdc_relation_of(model) %}
    {% set found = [] if model is string else [model] %}
    {% for node in graph.nodes.values() if model is string and node.resource_type == 'model' and node.name == model %}
        {% do found.append(node) %}
    {% endfor %}
    {% for node in found %}
        {% do return(api.Relation.create(database=node.database, schema=node.schema, identifier=node.alias)) %}
    {% endfor %}
{% endmacro %}
