{# Inside a generic test the word model is the tested relation; this returns what its model states under `meta.cdc`. #}
{% macro cdc_config_of(relation) %}
    {% set model = cdc_models().of_relation(relation.schema ~ '.' ~ relation.identifier) %}
    {% do return(model.cdc if model else {}) %}
{% endmacro %}
