{# The description of the table that a model builds: what the generated model states under `meta.cdc`. #}
{% macro cdc_description(model) %}
    {% do return(adapter.call_function('python_udfs.pipeline.table.read_cdc', {'node': model})) %}
{% endmacro %}
