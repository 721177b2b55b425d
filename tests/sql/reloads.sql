{{ cdc_reloads_sql(given_table(), 'etl_metadata.raw_listing', 'versions', 'counted', 8) }}
