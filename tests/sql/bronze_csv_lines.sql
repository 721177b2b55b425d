{{ cdc_bronze_sql(
    given_table('csv', header=false, multi_table=true),
    given_files_sql(multi_table=true),
    given_rows(),
    given_plan('string')
) }}
