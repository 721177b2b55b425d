{# The table that the records of a feed's multi-table files are split into; none for a feed without such files. #}
{% macro cdc_split_of(cdc) %}
    {% do return(ref(cdc.split) if cdc.split else none) %}
{% endmacro %}
