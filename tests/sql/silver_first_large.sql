{{ cdc_silver_sql(
    given_table(), given_changes(has_single_changes=true), given_plan(), is_first=true
) }}
