{{ cdc_gold_delete_sql('gold.sales', ['id'], {
    'view': 'cdc_gold_keys', 'filled': ['id'], 'ranges': {'id': {'type': 'int', 'first': '3', 'last': '8'}}
}) }}
