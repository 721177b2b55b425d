{# Whether deleted rows stay in silver, marked. #}
{% macro cdc_is_soft(cdc) %}
    {% do return(cdc.mode == 'current' and cdc.delete_mode == 'soft') %}
{% endmacro %}
