{{ cdc_ties_sql(given_table(), given_changes().log_sql, '_cdc_sequence >= \'000001.1\'', given_plan(), 7) }}
