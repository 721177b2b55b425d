{# The columns of `progress`, of which cdc_file_status_sql makes the status of files. #}
{% macro cdc_progress_columns() %}
    {% do return({
        'feed': 'string',
        'source_schema': 'string',
        'source_table': 'string',
        'is_active': 'boolean',
        'batch_id': 'bigint',
    }) %}
{% endmacro %}
