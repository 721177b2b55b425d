{{ cdc_maintenance_state_sql('silver.shop__order', true, none, [7, 8], 1000, {
    'older_than_days': 5, 'keep_snapshots': 10, 'orphan_days': 3, 'min_files': 10, 'gold_days': 14
}) }}
