{# The relation of a node of dbt's graph, whether it has been built or not. #}
{% macro cdc_node_relation(node) %}
    {% do return(api.Relation.create(database=node.database, schema=node.schema, identifier=node.alias)) %}
{% endmacro %}
