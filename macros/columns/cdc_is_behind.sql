{# Whether the seed states a type of which the column of the table cannot hold each value. #}
{% macro cdc_is_behind(column) %}
    {% set listed = column.get('listed_type') %}
    {% do return(listed is not none and not adapter.holds(column.type, listed)) %}
{% endmacro %}
