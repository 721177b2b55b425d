{{ cdc_whole_reloads_sql('bronze.shop__order') }}
