{# A column of a table. #}
{% macro given_existing(name, type) %}
    {% set column = {'name': name, 'dtype': type} %}
    {% do return(adapter.call_function('python_udfs.pipeline.columns.ExistingColumn', column)) %}
{% endmacro %}
