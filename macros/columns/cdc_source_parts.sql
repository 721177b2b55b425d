{# Those of the columns of files that are the source's: not those that DMS adds. #}
{% macro cdc_source_parts(cdc, columns) %}
    {% set arguments = {'cdc': cdc, 'columns': columns} %}
    {% do return(adapter.call_function('python_udfs.pipeline.columns.select_own_columns', arguments)) %}
{% endmacro %}
