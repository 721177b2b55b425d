{{ cdc_restarted_positions_sql([
    {'relation': 'etl_metadata.split_a', 'feed': 'a', 'tables': [{'source_schema': 's', 'source_table': 't'}]},
    {'relation': 'etl_metadata.split_b', 'feed': 'b', 'tables': []},
]) }}
