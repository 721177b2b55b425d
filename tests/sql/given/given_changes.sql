{% macro given_changes(has_late=false, reset_point='', has_partial=false) %}
    {% set rows_sql = cdc_bronze_range_sql('bronze.shop__order', none, 43, 7) %}
    {% do return({
        'sql': cdc_log_sql(given_table(), given_plan(), rows_sql, false),
        'log_sql': cdc_log_sql(given_table(), given_plan(), rows_sql, false),
        'to_snapshot_id': 43,
        'applied_sequence': 'a',
        'first_sequence': 'b',
        'has_late': has_late,
        'has_late_truncate': false,
        'has_partial': has_partial,
        'reset_points': [reset_point] if reset_point else [],
        'reset_point': reset_point,
        'has_new_reset_point': reset_point != '',
        'has_single_changes': false,
    }) %}
{% endmacro %}
