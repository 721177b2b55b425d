{{ cdc_report_incidents_sql('etl_metadata.incidents') }}
