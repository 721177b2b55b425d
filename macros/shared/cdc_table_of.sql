{# The relation that a layer has of a source table; none where it has none yet. #}
{% macro cdc_table_of(layer, cdc) %}
    {% set model = cdc_node_of(layer, cdc) %}
    {% do return(cdc_existing_of(model) if model else none) %}
{% endmacro %}
