{# The split tables that exist: relation, feed and the tables that seeds/cdc_tables.csv knows of the feed. #}
{% macro cdc_split_tables() %}
    {% set splits = [] %}
    {% for node in graph.get('nodes', {}).values() if node.resource_type == 'model' %}
        {% set cdc = node.config.meta.get('cdc', {}) %}
        {% if cdc.get('layer') == 'split' %}
            {% set relation = adapter.get_relation(node.database, node.schema, node.alias) %}
            {% do splits.append({'relation': relation, 'feed': cdc.feed, 'tables': cdc.tables}) if relation %}
        {% endif %}
    {% endfor %}
    {% do return(splits) %}
{% endmacro %}
