{{ cdc_kafka_lag_sql([
    {'relation': 'etl_metadata.split_a', 'feed': 'a'}, {'relation': 'etl_metadata.split_b', 'feed': 'b'},
]) }}
