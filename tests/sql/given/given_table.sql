{% macro given_table(
    format='parquet',
    header=false,
    mode='current',
    delete_mode='hard',
    partial=false,
    multi_table=false,
    unchanged_rows='write',
    key_comparison=[],
    renamed_columns={}
) %}
    {% set stated = {
        'layer': 'bronze',
        'feed': 'retail',
        'split': 'split_retail' if multi_table else none,
        'connector': 'dms',
        'format': format,
        'source_schema': 'shop',
        'source_table': 'order',
        'primary_key': ['id', 'line no'],
        'mode': mode,
        'delete_mode': delete_mode,
        'key_comparison': key_comparison,
        'renamed_columns': renamed_columns,
        'unchanged_rows': unchanged_rows,
        'renamed_columns': renamed_columns,
        'options': {
            'timestamp_column': 'dms_timestamp',
            'operation_column': 'auto',
            'change_sequence_column': 'change_seq' if partial else none,
            'before_image_prefix': 'BI_' if partial else none,
            'absent_columns': 'keep' if partial else 'null',
            'delimiter': ',',
            'header': header,
            'null_values': ['NULL', ''],
            'unavailable_value': '~' if partial else none,
        },
        'columns': [
            {'name': 'id', 'type': 'int', 'optional': false},
            {'name': 'line no', 'type': 'int', 'optional': false},
            {'name': 'price', 'type': 'double', 'optional': true},
        ] + ([
            {'name': 'BI_id', 'type': 'int', 'optional': true},
            {'name': 'BI_line no', 'type': 'int', 'optional': true},
            {'name': 'change_seq', 'type': 'string', 'optional': true},
        ] if partial else []),
    } %}
    {% do return(adapter.call_function('python_udfs.pipeline.table_config.read_config', {
        'stated': stated, 'model': 'given_table',
    })) %}
{% endmacro %}
