{# The rows of a batch, as a plan of bronze has them; `more` goes before the defaults. #}
{% macro given_rows(columns=(), more={}) %}
    {% set rows = {'view': 'raw_view', 'columns': columns} %}
    {% do return(adapter.call_function('python_udfs.pipeline.bronze.BatchRows', dict(rows, **more))) %}
{% endmacro %}
