{{ cdc_single_changes_sql(given_table(), given_changes()) }}
