{{ cdc_silver_sql(
    given_table(),
    given_changes(barrier='000002'),
    given_plan(),
    is_first=false
) }}
