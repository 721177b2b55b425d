{{ cdc_retyped_sql('bronze.shop__order', given_plan()) }}
