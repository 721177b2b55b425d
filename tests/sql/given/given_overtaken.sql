{% macro given_overtaken(mode='current') %}
    {% set table = given_table(mode=mode) %}
    {% do return(adapter.call_function('python_udfs.pipeline.table_config.add_silver', {
        'cdc': table, 'silver': table, 'columns': table.columns,
    })) %}
{% endmacro %}
