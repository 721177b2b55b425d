{# The columns of `etl_metadata.expectation_results`: what its model and `make quality` create. #}
{% macro cdc_result_columns() %}
    {% do return({
        'run_at': 'timestamp',
        'silver_table': 'string',
        'column_name': 'string',
        'expectation': 'string',
        'severity': 'string',
        'scope': 'string',
        'row_condition': 'string',
        'success': 'boolean',
        'observed_value': 'string',
        'expected': 'string',
        'message': 'string',
        'snapshot_id': 'bigint',
        'batch_id': 'bigint',
    }) %}
{% endmacro %}
