{{ cdc_checked_tables_sql('etl_metadata.silver_checks') }}
