{# The split tables that exist: relation, and what their models say of them. #}
{% macro cdc_split_tables() %}
    {% set splits = [] %}
    {% for node in graph.get('nodes', {}).values() if node.resource_type == 'model' %}
        {% set cdc = node.config.meta.get('cdc', {}) %}
        {% if cdc.get('layer') == 'split' %}
            {% set relation = adapter.get_relation(node.database, node.schema, node.alias) %}
            {% do splits.append(dict(cdc, relation=relation)) if relation %}
        {% endif %}
    {% endfor %}
    {% do return(splits) %}
{% endmacro %}
