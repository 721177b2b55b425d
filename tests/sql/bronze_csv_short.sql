{{ cdc_bronze_sql(
    given_table('csv', header=false),
    given_files_sql(),
    given_rows((), {'has_short_records': true, 'bronze': given_relation()}),
    given_plan('string')
) }}
