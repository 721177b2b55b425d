select {{ cdc_quarantined_loads_sql('bronze.shop__order', [{'file_key': 'a'}, {'file_key': 'b'}]) }} as has_quarantined
