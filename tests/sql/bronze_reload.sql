{{ cdc_bronze_sql(
    given_table(),
    given_files_sql(),
    {
        'view': 'raw_view',
        'columns': given_plan()[:3] + [{'name': 'Op'}, {'name': 'dms_timestamp'}],
        'bronze': 'bronze.shop__order',
        'reloads': [
            {'generation': 2, 'is_held': true, 'unread': none, 'reason': none},
            {'generation': 3, 'is_held': false, 'unread': '[]', 'reason': 'the reload is not complete'},
        ],
    },
    given_plan()
) }}
