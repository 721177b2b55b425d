{{ cdc_gold_difference_sql({
    'check': {'depth': 'step'}, 'model': given_gold(), 'movements': given_movements(), 'after_id': 43,
    'query_sql': given_gold().write_query(given_gold_query()), 'exact': ['segment', 'orders'], 'floats': ['average'],
}, 'gold.sales') }}
