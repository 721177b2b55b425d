{# Inside a generic test the word model is the tested relation; this returns the description of its table. #}
{% macro cdc_config_of(relation) %}
    {% do return(cdc_models().describe(relation.schema ~ '.' ~ relation.identifier)) %}
{% endmacro %}
