{{ cdc_bronze_sql(
    given_table('csv', header=false, multi_table=true),
    given_files_sql(multi_table=true),
    given_rows((), {'has_line_breaks': true}),
    given_plan('string')
) }}
