{#
    Whether the values of a batch do not fit the types of the table although no row breaks a rule: bronze was rewritten
    with other types (change_types), and silver was not. Silver is then made again from all of bronze.
#}
{% macro cdc_has_other_types(plan) %}
    {% for column in plan if column.raw_type is not none and column.raw_type != column.type %}
        {% if not adapter.is_type_promotion(column.raw_type | lower, column.type | lower) %}
            {% do return(true) %}
        {% endif %}
    {% endfor %}
    {% do return(false) %}
{% endmacro %}
