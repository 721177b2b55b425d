{{ cdc_silver_sql(
    given_table(delete_mode='soft'),
    given_changes(barrier='000002'),
    given_plan(),
    is_first=false
) }}
