{{ cdc_listed_tables_sql('etl_metadata.raw_listing', 9) }}
