{{ cdc_merge_sql(
    'silver.shop__order',
    'delta',
    ['id', 'line no'],
    ['id', 'line no', 'note', '_cdc_operation', '_cdc_sequence'],
    'soft',
    2
) }}
