{% macro given_table(format='parquet', header=false, mode='current', delete_mode='hard') %}
    {% do return({
        'feed': 'retail',
        'contract': 'dms',
        'format': format,
        'source_schema': 'shop',
        'source_table': 'order',
        'primary_key': ['id', 'line no'],
        'mode': mode,
        'delete_mode': delete_mode,
        'options': {
            'timestamp_column': 'dms_timestamp',
            'operation_column': 'auto',
            'delimiter': ',',
            'header': header,
            'null_values': ['NULL', ''],
        },
        'columns': [
            {'name': 'id', 'type': 'int', 'optional': false},
            {'name': 'line no', 'type': 'int', 'optional': false},
            {'name': 'price', 'type': 'double', 'optional': true},
        ],
    }) %}
{% endmacro %}
