{{ cdc_bronze_sql(
    given_table('json', multi_table=true, partial=true),
    given_files_sql(multi_table=true),
    given_rows(),
    given_plan('string')
) }}
