{{ cdc_silver_sql(
    given_table(delete_mode='soft'),
    given_changes(),
    given_plan(),
    is_first=true
) }}
