{{ cdc_release_reloads_sql(
    'bronze.shop__order', ['id', '_cdc_batch_id', '_cdc_quarantine_rule'], [2, 3], 12, 'by release_reload'
) }}
