{{ cdc_progress_sql('silver.shop__order') }}
