{{ cdc_overlaps_sql(given_table(mode='history'), 'silver.shop__order') }}
