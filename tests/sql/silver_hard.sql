{{ cdc_silver_sql(
    given_table(delete_mode='hard'),
    'bronze.shop__order',
    given_changes(has_late=false),
    given_plan(),
    is_first=true
) }}
