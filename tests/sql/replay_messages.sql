{{ cdc_replay_view_sql(given_table('json'), 'bronze.shop__order', [], 'etl_metadata.split_retail', 12) }}
