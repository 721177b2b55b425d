{{ cdc_gold_delete_sql('gold.sales', ['id'], 'cdc_gold_keys', none, {
    'id': {'type': 'int', 'first': '3', 'last': '8'}
}) }}
