{% macro given_overtaken(mode='current', renamed_columns={}) %}
    {% set table = given_table(mode=mode, renamed_columns=renamed_columns) %}
    {% do return(adapter.call_function('python_udfs.pipeline.table_config.add_silver', {
        'cdc': table, 'silver': table, 'columns': table.columns,
    })) %}
{% endmacro %}
