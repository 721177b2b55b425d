{{ cdc_gold_delete_sql('gold.sales', ['segment'], 'cdc_gold_keys') }}
