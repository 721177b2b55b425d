{{ cdc_generation_starts_sql(given_changes().sql) }}
