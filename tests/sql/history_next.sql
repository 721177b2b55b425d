{{ cdc_history_sql(
    given_table(mode='history', unchanged_rows='skip'),
    'bronze.shop__order',
    'silver.shop__order',
    given_changes(),
    given_plan(),
    derives_all=false
) }}
