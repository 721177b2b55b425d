{{ cdc_lost_values_sql([{'cdc': given_table(), 'bronze': {'schema': 'bronze', 'identifier': 'o'}, 'rows_sql': 'select * from rows'}]) }}
