{# The relation that a layer has of a source table; none where it has none yet. #}
{% macro cdc_table_of(layer, cdc) %}
    {% set source = [cdc.feed, cdc.source_schema, cdc.source_table] %}
    {% for node in cdc_models_of(layer) %}
        {% set other = node.config.meta.cdc %}
        {% if [other.feed, other.source_schema, other.source_table] == source %}
            {% do return(adapter.get_relation(database=node.database, schema=node.schema, identifier=node.alias)) %}
        {% endif %}
    {% endfor %}
{% endmacro %}
