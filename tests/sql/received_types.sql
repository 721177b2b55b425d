{{ cdc_received_types_sql('bronze.shop__order') }}
