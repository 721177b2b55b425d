{# The last batch that is in an append-only table. #}
{% macro cdc_last_batch_id(relation) %}
    {% set arguments = {'warehouse': adapter, 'relation': relation} %}
    {% do return(adapter.call_function('python_udfs.pipeline.progress.read_last_batch_id', arguments)) %}
{% endmacro %}
