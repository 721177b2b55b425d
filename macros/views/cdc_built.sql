{#
    The tables that have a model in a layer and whose relation exists. The model passes its own `ref`, so that dbt draws
    the lineage, also while it parses.
#}
{% macro cdc_built(layer, ref) %}
    {% do return(adapter.call_function('python_udfs.pipeline.table.list_built', {
        'warehouse': adapter if execute else none, 'tables': cdc_tables(), 'layer': layer, 'ref': ref,
    })) %}
{% endmacro %}
