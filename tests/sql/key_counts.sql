{{ cdc_key_counts_sql(given_table(), '(select 1)') }}
