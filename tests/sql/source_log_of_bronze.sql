{{ cdc_source_log_of_bronze_sql('bronze.shop__order') }}
