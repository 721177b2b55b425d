{{ cdc_renamed_columns_sql(
    given_table(renamed_columns={'nr': 'id', 'cost': 'price'}),
    given_plan()[:2] + (given_column('price', 'double', 'double', old_columns=('cost',)),),
    cdc_bronze_range_sql('bronze.shop__order', none, 43, 7)
) }}
