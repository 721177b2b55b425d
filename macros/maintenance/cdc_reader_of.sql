{# The silver table that reads a bronze table and names one of its snapshots; none for others. #}
{% macro cdc_reader_of(node) %}
    {% set bronze = node.config.meta.cdc %}
    {% set source = [bronze.feed, bronze.source_schema, bronze.source_table] %}
    {% for other in cdc_models_of('silver') if bronze.layer == 'bronze' %}
        {% set cdc = other.config.meta.cdc %}
        {% if [cdc.feed, cdc.source_schema, cdc.source_table] == source %}
            {% do return(adapter.get_relation(database=other.database, schema=other.schema, identifier=other.alias)) %}
        {% endif %}
    {% endfor %}
    {% do return(none) %}
{% endmacro %}
