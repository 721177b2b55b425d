{# The readable files of a batch with this table's records of multi-table files, for a command that writes nothing. #}
{% macro cdc_with_multi_table_files(cdc, files, after_batch_id, raw, split, view) %}
    {% do return(adapter.call_function('python_udfs.pipeline.reading.add_multi_table_files', {
        'warehouse': adapter, 'sql': context, 'cdc': cdc, 'names': files.names, 'after_batch_id': after_batch_id,
        'last_batch_id': files.last_batch_id, 'reading': raw, 'split': split, 'view': view,
    })) %}
{% endmacro %}
