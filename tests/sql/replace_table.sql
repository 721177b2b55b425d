{{ cdc_replace_table_sql('silver.shop__order', ['id'], {'format-version': '2'}, 'select * from silver.copy') }}
