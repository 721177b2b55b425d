{{ cdc_history_sql(
    given_table(mode='history', unchanged_rows='skip'),
    'bronze.shop__order',
    none,
    given_changes(reset_point='000002'),
    given_plan(),
    derives_all=true
) }}
