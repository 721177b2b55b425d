{{ cdc_replay_lines_sql(given_overtaken(), 'bronze.shop__order') }}
