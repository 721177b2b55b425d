{{ cdc_history_sql(
    given_table(mode='history', unchanged_rows='skip'),
    'bronze.shop__order',
    'silver.shop__order',
    given_changes(has_late=true, reset_point='000002'),
    given_plan(),
    derives_all=false
) }}
