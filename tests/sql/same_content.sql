{{ cdc_same_content_sql(
    'select * from bronze.rows_of_batch',
    'bronze.shop__order',
    ['`id`'],
    ['cast(`id` as bigint)'],
    [{'file_key': 'shop/order/LOAD00000001.csv', 'earlier_millis': 1}],
    given_overtaken()
) }}
