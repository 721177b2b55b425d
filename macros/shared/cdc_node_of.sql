{# The model that a layer has of a source table; none if it has none. #}
{% macro cdc_node_of(layer, cdc) %}
    {% do return(cdc_models().of_source(layer, cdc)) %}
{% endmacro %}
