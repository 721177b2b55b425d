{{ cdc_gold_changed_sql(given_gold().query.inputs[0], 'select * from bronze.shop__order', true) }}
