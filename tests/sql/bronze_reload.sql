{{ cdc_bronze_sql(
    given_table(),
    given_files_sql(),
    given_rows(given_file_columns(), {
        'bronze': given_relation(),
        'reloads': [
            {'generation': 2, 'is_held': true, 'unread': none, 'reason': none},
            {'generation': 3, 'is_held': false, 'unread': '[]', 'reason': 'the reload is not complete'},
        ],
    }),
    given_plan()
) }}
