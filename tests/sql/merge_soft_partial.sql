{{ cdc_merge_sql(
    given_table(delete_mode='soft', unchanged_rows='skip'),
    'silver.shop__order',
    'delta',
    ['id', 'line no', 'note', '_cdc_operation', '_cdc_sequence'],
    given_changes(has_partial=true)
) }}
