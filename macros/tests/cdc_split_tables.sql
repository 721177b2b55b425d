{# The split tables that exist: relation, and the metadata of their models. #}
{% macro cdc_split_tables() %}
    {% set splits = [] %}
    {% for node in cdc_models_of('split') %}
        {% set relation = adapter.get_relation(node.database, node.schema, node.alias) %}
        {% do splits.append(dict(node.cdc, relation=relation)) if relation %}
    {% endfor %}
    {% do return(splits) %}
{% endmacro %}
