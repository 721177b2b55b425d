{{ cdc_gold_keys_sql(given_gold(), given_movements(), 1000) }}
