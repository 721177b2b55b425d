{# The rows to write to a silver table, or to make it of where there is none yet, the way that its mode wants. #}
{% macro cdc_silver_query(cdc, bronze, silver, changes, plan) %}
    {% if cdc.mode == 'history' %}
        {% do return(cdc_history(cdc, bronze, silver, changes, plan)) %}
    {% endif %}
    {% do return(cdc_silver_sql(cdc, changes, plan, silver is none)) %}
{% endmacro %}
