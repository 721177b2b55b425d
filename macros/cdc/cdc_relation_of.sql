{# The relation of a model by its name, where a reference would draw a dependency that is not one. #}
{% macro cdc_relation_of(name) %}
    {% for node in graph.nodes.values() if node.resource_type == 'model' and node.name == name %}
        {% do return(api.Relation.create(database=node.database, schema=node.schema, identifier=node.alias)) %}
    {% endfor %}
{% endmacro %}
