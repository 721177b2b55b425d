{{ cdc_newest_runs_sql('etl_metadata.run_metrics') }}
