{{ cdc_incidents_sql('etl_metadata.incidents') }}
