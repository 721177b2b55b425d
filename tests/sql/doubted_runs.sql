{{ cdc_doubted_runs_sql('etl_metadata.run_metrics', 'second_snapshot') }}
