{{ _messages_sql('etl_metadata.split_retail', given_table('json'), 7, 9) }}
