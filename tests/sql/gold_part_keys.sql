{{ cdc_gold_part_keys_sql(
    'gold.sales', ['segment'], given_movements(), given_gold().write_query(given_gold_query()), "segment = 'a'", 1000
) }}
