{{ cdc_held_reloads_sql('bronze.shop__order') }}
