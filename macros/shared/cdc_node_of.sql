{# The model that a layer has of a source table; none where it has none. #}
{% macro cdc_node_of(layer, cdc) %}
    {% set nodes = adapter.notes('tables of ' ~ layer) %}
    {% if not nodes %}
        {#- Complete when other threads see it. -#}
        {% set found = {} %}
        {% for node in cdc_models_of(layer) %}
            {% set other = node.config.meta.cdc %}
            {% do found.update({(other.feed, other.source_schema, other.source_table): node}) %}
        {% endfor %}
        {% do nodes.update(found) %}
    {% endif %}
    {% do return(nodes.get((cdc.feed, cdc.source_schema, cdc.source_table))) %}
{% endmacro %}
