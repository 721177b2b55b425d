{{ cdc_history_sql(
    given_table(mode='history', unchanged_rows='write'),
    'bronze.shop__order',
    'silver.shop__order',
    given_changes(reset_point='000002'),
    given_plan(),
    derives_all=true
) }}
