{{ cdc_asked_sql({
    'queries': [
        cdc_lost_values_sql({'cdc': given_table(), 'rows_sql': 'select * from rows', 'keeps_absent': false}),
        cdc_lost_values_sql({'cdc': given_table(), 'rows_sql': 'select * from rows', 'keeps_absent': true}),
    ],
    'problems': [{'cdc': given_table(), 'reason': 'no column k'}],
}) }}
