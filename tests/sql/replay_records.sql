{{ cdc_replay_records_sql(given_overtaken(), 'bronze.shop__order', [
    {'name': 'id', 'file_name': 'ID', 'type': 'string'},
    {'name': 'raw', 'file_name': 'raw', 'type': 'binary'},
    {'name': 'tags', 'file_name': 'tags', 'type': 'array<string>'},
]) }}
