{{ cdc_difference_sql(
    given_table(),
    'silver.shop__order',
    'bronze.shop__order',
    43,
    ['id', 'line no', '_cdc_operation', '_cdc_batch_id'],
    given_plan() | rejectattr('raw_type', 'none') | list,
    given_step(is_newest=true, is_small=true)
) }}
