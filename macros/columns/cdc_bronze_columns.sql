{# The source columns of bronze, as silver has them: a column that bronze has under an old and a new name is one. #}
{% macro cdc_bronze_columns(cdc, columns) %}
    {% set arguments = {'cdc': cdc, 'columns': columns} %}
    {% do return(adapter.call_function('python_udfs.pipeline.columns.select_bronze_columns', arguments)) %}
{% endmacro %}
