{{ cdc_record_incidents_sql('etl_metadata.incidents') }}
