{#
    The relation of a model, whether it has been built or not; none if no model has the name. Of a node of dbt's graph,
    or of a name if a reference would draw a dependency that is not one.
#}
{% macro cdc_relation_of(model) %}
    {% set node = graph.nodes.get('model.' ~ project_name ~ '.' ~ model) if model is string else model %}
    {% set relation = api.Relation.create(database=node.database, schema=node.schema, identifier=node.alias) if node %}
    {% do return(relation if node else none) %}
{% endmacro %}
