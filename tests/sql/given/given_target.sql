{# Columns of a table that is there already. #}
{% macro given_target() %}
    {% do return([given_existing('id', 'int'), given_existing('note', 'string')]) %}
{% endmacro %}
