{{ cdc_replay_records_sql(given_overtaken(), 'bronze.shop__order', [
    {'column': '_0', 'value': "if(types is null, content['ID'], null)", 'unsure': 'types is null'},
    {'column': '_1', 'value': "try_to_binary(content['raw'], 'base64')", 'unsure': "content['raw'] is null"},
]) }}
