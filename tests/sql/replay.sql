{{ cdc_replay_sql(
    given_overtaken(), 'bronze.shop__order', ['id', '_cdc_sequence'], ['_cdc_sequence'], 'select * from judged_rows'
) }}
