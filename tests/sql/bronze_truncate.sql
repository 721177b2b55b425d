{{ cdc_bronze_sql(
    given_table(),
    given_files_sql(),
    given_rows((), {'view': none, 'has_truncate': true}),
    given_plan()
) }}
