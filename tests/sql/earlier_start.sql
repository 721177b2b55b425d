{{ cdc_earlier_start_sql(
    cdc_bronze_range_sql('bronze.shop__order', none, 43, 0),
    {'generation': '000002', 'committed_at': '2024-01-31 00:00:00.000000', 'loaded_at': none}
) }}
