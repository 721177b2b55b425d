{{ cdc_gold_rows_sql(
    given_gold(), given_movements(), given_gold().write_query(given_gold_query()), {'view': 'cdc_gold_keys', 'filled': [], 'ranges': {}}
) }}
