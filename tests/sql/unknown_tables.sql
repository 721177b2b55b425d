{{ cdc_unknown_tables_sql([
    {'relation': 'etl_metadata.split_a', 'feed': 'a', 'connector': 'dms', 'tables': [{'source_schema': 's', 'source_table': 't'}]},
    {'relation': 'etl_metadata.split_b', 'feed': 'b', 'connector': 'debezium', 'tables': []},
]) }}
