{{ cdc_insert_sql('silver.shop__order', 'delta', ['id', 'line no']) }}
