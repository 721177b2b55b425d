{# The columns of a batch by what a row needs: every row its key, and all but a delete the others. #}
{% macro cdc_judged_columns(cdc, columns) %}
    {% set arguments = {'cdc': cdc, 'columns': columns} %}
    {% do return(adapter.call_function('python_udfs.pipeline.columns.judge_columns', arguments)) %}
{% endmacro %}
