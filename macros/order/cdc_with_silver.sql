{#
    The description of a bronze table with that of its silver table, which decides what of the quarantine is overtaken, and
    whether bronze has the columns of the key: before the first file it has none.
#}
{% macro cdc_with_silver(cdc, bronze) %}
    {% set node = cdc_node_of('silver', cdc) %}
    {% do return(adapter.call_function('python_udfs.pipeline.table_config.add_silver', {
        'cdc': cdc, 'silver': node.cdc if node else none, 'columns': adapter.get_columns_in_relation(bronze),
    })) %}
{% endmacro %}
