{{ cdc_silver_sql(
    given_table(delete_mode='soft'),
    given_changes(has_late=true),
    given_plan(),
    is_first=false
) }}
