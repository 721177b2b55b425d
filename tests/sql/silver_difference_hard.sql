{{ cdc_difference_sql(
    given_table(),
    'silver.shop__order',
    'bronze.shop__order',
    42,
    ['id', 'line no', '_cdc_sequence'],
    given_plan() | rejectattr('raw_type', 'none') | list
) }}
