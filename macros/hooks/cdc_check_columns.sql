{# The columns of silver_checks: made by its model, or by the first command that compares a table without that model. #}
{% macro cdc_check_columns() %}
    {% do return({
        'silver_table': 'string',
        'snapshot_id': 'bigint',
        'schema_id': 'int',
        'bronze_snapshot_id': 'bigint',
        'batch_id': 'bigint',
        'sequence': 'string',
        'compared_at': 'timestamp',
        'checked_at': 'timestamp',
    }) %}
{% endmacro %}
