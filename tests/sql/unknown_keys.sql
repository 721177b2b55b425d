{{ cdc_unknown_keys_sql([
    {'table': {'cdc': given_table(), 'silver': 'silver.shop__order'}, 'step': given_step(is_small=true)},
    {'table': {'cdc': given_table(), 'silver': 'silver.shop__item'}, 'step': given_step()},
], true) }}
