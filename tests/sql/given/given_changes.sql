{% macro given_changes(has_late, generation=1) %}
    {% do return({
        'sql': cdc_bronze_range_sql('bronze.shop__order', none, 43, 7),
        'generation': generation,
        'completes_generation': generation > 1,
        'to_snapshot_id': 43,
        'has_late': has_late,
        'applied_sequence': 'a',
    }) %}
{% endmacro %}
