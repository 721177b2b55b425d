{#
    Whether a table asks the listing for its own objects: where its records are split from objects of many tables, or the
    run has one or two tables of bronze. What all tables of a run share is two questions, which cost as much as three.
#}
{% macro cdc_asks_alone(cdc) %}
    {% set tables = cdc_models_of('bronze') | selectattr('unique_id', 'in', selected_resources) | list %}
    {% do return(cdc_split_of(cdc) is not none or tables | length <= 2) %}
{% endmacro %}
