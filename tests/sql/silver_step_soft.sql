{{ cdc_difference_sql(
    given_table(delete_mode='soft'),
    'silver.shop__order',
    'bronze.shop__order',
    43,
    ['id', 'line no', '_cdc_is_deleted'],
    given_plan() | rejectattr('raw_type', 'none') | list,
    given_step(continues=true)
) }}
