{# The columns of a plan whose values a cast may not keep. #}
{% macro cdc_casts(plan) %}
    {% set casts = [] %}
    {% for column in plan if column.raw_type is not none and column.type not in ['string', column.raw_type] %}
        {% do casts.append(column) %}
    {% endfor %}
    {% do return(casts) %}
{% endmacro %}
