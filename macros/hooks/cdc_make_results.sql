{# `make quality` runs beside a build: it only makes the table of its results, if no build has. #}
{% macro cdc_make_results() %}
    {% do cdc_answer(adapter.call_function('python_udfs.pipeline.hooks.make_results', {'project': cdc_project()})) %}
{% endmacro %}
