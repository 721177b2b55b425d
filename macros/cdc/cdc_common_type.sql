{% macro cdc_common_type(one, other) %}
    {% if one == other or cdc_is_promotion(other, one) %}
        {% do return(one) %}
    {% endif %}
    {% do return(other if cdc_is_promotion(one, other) else 'string') %}
{% endmacro %}
