{{ cdc_explain_keys_sql('bronze.shop__order', ['id', 'line no']) }}
