{#
    The relation of a model, whether it has been built or not: of a node of dbt's graph, or of a name where a reference
    would draw a dependency that is not one.
#}
{% macro cdc_relation_of(model) %}
    {% set node = graph.nodes.get('model.' ~ project_name ~ '.' ~ model) if model is string else model %}
    {% if node %}
        {% do return(api.Relation.create(database=node.database, schema=node.schema, identifier=node.alias)) %}
    {% endif %}
{% endmacro %}
