{{ cdc_difference_sql(
    given_table(mode='history'), 'silver.shop__order', 'bronze.shop__order', 43, [],
    given_plan('int')
) }}
