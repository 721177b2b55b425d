{#
    The description of a bronze table with that of its silver table, which decides what of the quarantine is overtaken, and
    whether bronze has the columns of the key: before the first file it has none.
#}
{% macro cdc_with_silver(cdc, bronze) %}
    {% set node = cdc_node_of('silver', cdc) %}
    {% set silver = node.cdc if node else {} %}
    {% set names = adapter.get_columns_in_relation(bronze) | map(attribute='name') | map('lower') | list %}
    {% set missing = silver.get('primary_key', []) | map('lower') | reject('in', names) | list %}
    {% do return(dict(cdc, silver=silver, has_key=silver.get('mode') == 'current' and not missing)) %}
{% endmacro %}
