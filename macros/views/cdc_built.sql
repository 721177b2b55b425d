{#
    The tables that have a model in a layer and whose relation exists. A table whose first build failed has no relation,
    and one such table must not keep a view over all of them from being made; without any the view fails and names them.
    The model passes its own `ref`, so that dbt draws the lineage, also while it parses.
#}
{% macro cdc_built(layer, ref) %}
    {% set tables, built = [], [] %}
    {% for table in cdc_tables() if layer in table %}
        {% set relation = ref(table[layer]) %}
        {% do tables.append(dict(table, relation=relation)) %}
        {% do built.append(tables[-1]) if not execute or load_relation(relation) is not none %}
    {% endfor %}
    {% do return(built or tables) %}
{% endmacro %}
