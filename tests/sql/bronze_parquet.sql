{{ cdc_bronze_sql(
    given_table(),
    given_files_sql(),
    {'view': 'raw_view', 'columns': given_plan()[:3] + [{'name': 'Op'}, {'name': 'dms_timestamp'}]},
    given_plan()
) }}
