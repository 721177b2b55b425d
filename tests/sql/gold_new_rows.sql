{{ cdc_gold_new_rows_sql({
    'way': 'full', 'movements': given_movements(), 'query_sql': given_gold().write_query(given_gold_query()),
    'model': given_gold(), 'frozen': {'condition': "segment = 'a'", 'spine_keys': {'view': ''}},
}) }}
