{# A step of silver: its changes, and what is known of them. #}
{% macro given_step(has_late=false, continues=false, is_newest=false, is_small=false) %}
    {% do return(adapter.call_function('python_udfs.pipeline.checks.Step', {
        'rows_sql': cdc_bronze_range_sql('bronze.shop__order', none, 43, 7),
        'silver_snapshot_id': 5,
        'after_sequence': '000001.1.7',
        'log_sql': cdc_bronze_range_sql('bronze.shop__order', none, 43, 0 if has_late else 7, has_late),
        'has_late': has_late,
        'has_partial': false,
        'splits_keys': has_late,
        'has_key_changes': false,
        'is_small': continues or is_small,
        'continues': continues,
        'is_newest': is_newest,
        'rows': 100,
        'net_rows': 3,
    })) %}
{% endmacro %}
