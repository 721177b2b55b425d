{{ cdc_count_keys_sql(given_table(), given_changes()) }}
