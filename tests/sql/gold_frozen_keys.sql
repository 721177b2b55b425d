{{ cdc_gold_frozen_keys_sql(
    'gold.sales', ['segment'], {'condition': "segment = 'a'", 'spine_view': 'cdc_gold_spine'}, {'view': 'cdc_gold_keys', 'filled': ['segment']}
) }}
