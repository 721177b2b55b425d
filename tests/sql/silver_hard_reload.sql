{{ cdc_silver_sql(
    given_table(delete_mode='hard'),
    'bronze.shop__order',
    given_changes(has_late=false, generation=2),
    given_plan(),
    is_first=false
) }}
