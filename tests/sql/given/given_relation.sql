{# A bronze table. #}
{% macro given_relation() %}
    {% do return(adapter.Relation('bronze', 'shop__order')) %}
{% endmacro %}
