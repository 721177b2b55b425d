{{ cdc_difference_sql(
    given_table(mode='history', unchanged_rows='skip'), 'silver.shop__order',
    'bronze.shop__order',
    43,
    [],
    given_plan('int') | rejectattr('raw_type', 'none') | list,
    given_step(has_late=true)
) }}
