{{ cdc_current_snapshot_sql('bronze.shop__order') }}
