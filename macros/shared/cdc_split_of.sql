{# The table that holds the records of mixed objects, for a table whose changes come in such; none for others. #}
{% macro cdc_split_of(cdc) %}
    {% do return(ref(cdc.split) if cdc.get('split') else none) %}
{% endmacro %}
