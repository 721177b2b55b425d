{# The models of the pipeline, read from dbt's graph once a command (python_udfs/pipeline/table.py). #}
{% macro cdc_models() %}
    {% set notes = adapter.notes('models') %}
    {% if not notes %}
        {% set arguments = {'nodes': graph.nodes.values()} %}
        {% do notes.update({'models': adapter.call_function('python_udfs.pipeline.table.read_models', arguments)}) %}
    {% endif %}
    {% do return(notes.models) %}
{% endmacro %}
