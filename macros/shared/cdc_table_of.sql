{# The relation that a layer has of a source table; none where it has none yet. #}
{% macro cdc_table_of(layer, cdc) %}
    {% set node = cdc_node_of(layer, cdc) %}
    {% if node %}
        {% do return(adapter.get_relation(database=node.database, schema=node.schema, identifier=node.alias)) %}
    {% endif %}
{% endmacro %}
