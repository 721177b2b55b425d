{{ cdc_gold_share_sql('gold.sales', ['segment'], {'view': 'cdc_gold_keys', 'filled': []}) }}
