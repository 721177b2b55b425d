{{ cdc_silver_sql(
    given_table(),
    given_changes(),
    given_plan(),
    is_first=false
) }}
