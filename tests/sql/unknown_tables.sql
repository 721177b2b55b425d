{{ cdc_unknown_tables_sql([
    {'relation': 'etl_metadata.split_a', 'feed': 'a', 'contract': 'dms', 'tables': [{'source_schema': 's', 'source_table': 't'}]},
    {'relation': 'etl_metadata.split_b', 'feed': 'b', 'contract': 'debezium', 'tables': []},
]) }}
