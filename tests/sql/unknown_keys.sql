{{ cdc_unknown_keys_sql(
    cdc_step_keys_sql({'cdc': given_table(), 'silver': 'silver.shop__order'}, given_step(is_small=true), 0)
    ~ '\nunion all\n'
    ~ cdc_step_keys_sql({'cdc': given_table(), 'silver': 'silver.shop__item'}, given_step(), 1),
    true
) }}
