{{ _generation_starts_sql(cdc_bronze_range_sql('bronze.shop__order', none, 43, 0)) }}
