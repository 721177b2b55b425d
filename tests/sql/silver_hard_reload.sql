{{ cdc_silver_sql(
    given_table(),
    given_changes(reset_point='000002'),
    given_plan(),
    is_first=false
) }}
