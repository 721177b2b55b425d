{{ cdc_messages_sql('etl_metadata.split_retail', given_table('json', multi_table=true), 3, 5) }}
