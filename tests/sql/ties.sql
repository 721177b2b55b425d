{{ cdc_ties_sql(given_table(), given_changes().log_sql, ['1.20240101000000000000'], given_plan(), 7) }}
