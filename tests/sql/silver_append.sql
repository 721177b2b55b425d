{{ cdc_silver_sql(
    given_table(mode='append'),
    given_changes(),
    given_plan(),
    is_first=true
) }}
