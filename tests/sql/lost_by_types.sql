{{ cdc_lost_by_types_sql('bronze.shop__order', given_plan('string')) }}
