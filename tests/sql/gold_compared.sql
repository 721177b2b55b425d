{{ cdc_gold_compared_sql(given_gold().query.inputs[0], 'gold.sales', 41, 43, ['id', 'amount'], 2000001) }}
