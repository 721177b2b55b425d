{{ cdc_record_checks_sql('etl_metadata.silver_checks', [{
    'silver_table': 'silver.shop__order', 'snapshot_id': 43, 'schema_id': 0, 'bronze_snapshot_id': 42, 'batch_id': 9,
    'sequence': '000001.1.9', 'is_full': true,
}]) }}
