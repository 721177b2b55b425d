{{ cdc_incident_runs_sql('etl_metadata.run_metrics') }}
