{{ cdc_delete_keys_sql(
    given_table(), 'silver.shop__order.branch_b', '(select 1)', {'type': 'int', 'first': '1', 'last': '9'}
) }}
