{{ cdc_replay_files_sql(given_overtaken(), 'bronze.shop__order', 'etl_metadata.raw_listing', 12) }}
