{{ cdc_range_facts_sql(cdc_bronze_range_sql('bronze.shop__order', none, 43, 7), 'id') }}
