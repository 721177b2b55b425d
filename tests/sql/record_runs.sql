{{ cdc_record_runs_sql(
    'etl_metadata.run_metrics', 'select * from run_metrics_new', {'has_gone': true, 'replaced': ['silver.shop__order']}
) }}
