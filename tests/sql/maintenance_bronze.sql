{{ cdc_maintenance_state_sql(
    'bronze.shop__order', false, 'silver.shop__order', [], 1000, {
        'older_than_days': 5, 'keep_snapshots': 10, 'orphan_days': 3, 'min_files': 10
    }
) }}
