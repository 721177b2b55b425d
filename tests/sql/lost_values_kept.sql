{{ cdc_lost_values_sql({'cdc': given_table(), 'rows_sql': 'select * from rows', 'keeps_absent': true}) }}
