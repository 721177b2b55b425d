{# The models of the pipeline, read from dbt's graph once a command (python_udfs/pipeline/table.py). #}
{% macro cdc_models() %}
    {% do return(adapter.call_function('python_udfs.pipeline.table.ask_models', {
        'warehouse': adapter, 'nodes': graph.nodes.values(),
    })) %}
{% endmacro %}
