{{ cdc_gold_frozen_keys_sql(
    'gold.sales', ['segment'], {'condition': "segment = 'a'", 'spine_keys': {'view': 'cdc_gold_spine', 'filled': [], 'ranges': {}}},
    {'view': 'cdc_gold_keys', 'filled': ['segment'], 'ranges': {}}
) }}
