{{ cdc_log_sql(
    given_table(key_comparison=['ignore_case']),
    given_plan(),
    cdc_bronze_range_sql('bronze.shop__order', none, 43, 7),
    has_key_changes=true
) }}
