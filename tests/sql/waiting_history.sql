{{ cdc_waiting_sql(given_overtaken(mode='history'), 'bronze.shop__order') }}
