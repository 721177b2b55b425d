{{ cdc_merge_sql(
    given_table(),
    'silver.shop__order',
    'delta',
    ['id', 'line no', 'note', '_cdc_operation', '_cdc_sequence'],
    given_changes(reset_point='000002')
) }}
