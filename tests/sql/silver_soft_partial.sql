{{ cdc_silver_sql(
    given_table(delete_mode='soft'),
    given_changes(reset_point='000002', has_partial=true),
    given_plan(),
    is_first=false
) }}
