{# The models of a layer; none while dbt parses and the graph is empty. #}
{% macro cdc_models_of(layer) %}
    {% do return(cdc_models().of_layer(layer) if execute else []) %}
{% endmacro %}
