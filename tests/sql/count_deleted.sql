{{ cdc_count_deleted_sql(given_table(), 'silver.shop__order', '(select 1)') }}
