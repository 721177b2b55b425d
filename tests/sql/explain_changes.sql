{{ cdc_explain_changes_sql(
    given_table(),
    'bronze.shop__order',
    ['id', 'line no', 'price'],
    {'id': '1', 'line no': none},
    {'id': 'int', 'line no': 'bigint', 'price': 'double'},
    has_old_key=true
) }}
