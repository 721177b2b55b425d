{{ cdc_explain_silver_sql(
    given_table(), 'silver.shop__order', ['id', 'line no', 'price'], {'id': '1'}, {'id': 'int'}
) }}
