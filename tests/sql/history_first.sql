{{ cdc_history_sql(
    given_table(mode='history', unchanged_rows='skip'),
    'bronze.shop__order',
    none,
    given_changes(has_partial=true),
    given_plan(),
    derives_all=true
) }}
