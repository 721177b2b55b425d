{# Facts about rows of bronze after a snapshot, or after a batch. #}
{% macro cdc_bronze_range_summary(cdc, bronze, from_snapshot_id, to_snapshot_id, rows_sql, is_part=true) %}
    {% do return(adapter.call_function('python_udfs.pipeline.delta.read_range', {
        'warehouse': adapter, 'sql': context, 'cdc': cdc, 'bronze': bronze, 'from_snapshot_id': from_snapshot_id,
        'to_snapshot_id': to_snapshot_id, 'rows_sql': rows_sql, 'is_part': is_part,
    })) %}
{% endmacro %}
