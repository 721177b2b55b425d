{{ cdc_received_types_sql(given_overtaken(), 'bronze.shop__order') }}
