{# Finds a gold model, for an operation. #}
{% macro cdc_gold_node(name) %}
    {% set models = [] %}
    {% for node in graph.nodes.values()
        if node.resource_type == 'model'
        and adapter.call_function('python_udfs.gold.inputs.is_refreshed', {'config': node.config}) %}
        {% if name in [node.name, node.alias, node.schema ~ '.' ~ node.alias] %}
            {% do return(node) %}
        {% endif %}
        {% do models.append(node.name) %}
    {% endfor %}
    {% do exceptions.raise_compiler_error(
        'Gold error: there is no gold model ' ~ name ~ '; expected one of ' ~ (models | sort | join(', ') or 'none')
    ) %}
{% endmacro %}
