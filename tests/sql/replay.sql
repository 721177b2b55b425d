{{ cdc_replay_sql(
    given_overtaken(renamed_columns={'was': 'id'}),
    'bronze.shop__order',
    ['id', '_cdc_sequence', '_cdc_unavailable_columns'],
    ['_cdc_sequence', '_cdc_unavailable_columns'],
    'select * from judged_rows'
) }}
