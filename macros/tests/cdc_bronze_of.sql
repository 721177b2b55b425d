{# The bronze relation that a silver table is made from. #}
{% macro cdc_bronze_of(cdc) %}
    {% set source = [cdc.feed, cdc.source_schema, cdc.source_table] %}
    {% for node in cdc_models_of('bronze') %}
        {% set other = node.config.meta.cdc %}
        {% if [other.feed, other.source_schema, other.source_table] == source %}
            {% do return(adapter.get_relation(database=node.database, schema=node.schema, identifier=node.alias)) %}
        {% endif %}
    {% endfor %}
{% endmacro %}
