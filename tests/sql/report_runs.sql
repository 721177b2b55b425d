{{ cdc_report_runs_sql('etl_metadata.run_metrics', 30) }}
