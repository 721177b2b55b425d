{{ cdc_waiting_messages_sql(given_overtaken(), 'bronze.shop__order', 'etl_metadata.split_retail') }}
