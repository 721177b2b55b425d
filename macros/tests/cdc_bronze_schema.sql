{% macro cdc_bronze_schema() %}
    {% do return(graph.nodes.values() | selectattr('config.meta.cdc.layer', 'equalto', 'bronze') | map(attribute='schema') | first) %}
{% endmacro %}
