{{ cdc_gold_share_sql('gold.sales', ['segment'], 'cdc_gold_keys') }}
