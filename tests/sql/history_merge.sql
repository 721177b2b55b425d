{{ cdc_history_merge_sql(
    given_table(mode='history'), 'silver.shop__order', 'delta', ['id', 'line no', '_cdc_sequence']
) }}
