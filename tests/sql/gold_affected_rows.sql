{{ cdc_gold_affected_rows_sql('gold.sales', ['segment'], {'view': 'cdc_gold_keys', 'filled': [], 'ranges': {}}) }}
