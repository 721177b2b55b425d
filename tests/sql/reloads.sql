{{ cdc_reloads_sql(given_table(), 'etl_metadata.raw_listing', 'etl_metadata.rejected_files', 8) }}
