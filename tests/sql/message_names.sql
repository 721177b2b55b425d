{{ cdc_message_names_sql(given_table(format='json'), 'split_retail__drift', 7) }}
