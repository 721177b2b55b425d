{{ cdc_newest_step_sql(
    given_table(),
    'silver.shop__order',
    ['id', 'line no', '_cdc_operation', '_cdc_batch_id'],
    given_plan() | rejectattr('raw_type', 'none') | list,
    given_step(is_newest=true, is_small=true)
) }}
