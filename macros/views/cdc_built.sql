{#
    Those of some tables that exist. A table whose first build failed has no relation, and one such table must not keep
    a view over all of them from being made; without any the view fails and names them.
#}
{% macro cdc_built(tables, relation) %}
    {% set built = [] %}
    {% for table in tables if not execute or load_relation(table[relation]) is not none %}
        {% do built.append(table) %}
    {% endfor %}
    {% do return(built or tables) %}
{% endmacro %}
