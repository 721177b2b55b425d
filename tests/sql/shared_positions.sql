{{ cdc_shared_positions_sql(given_table(), 'etl_metadata.raw_listing', 7, 9) }}
