{{ cdc_bronze_sql(
    given_table('json', multi_table=true),
    given_files_sql(multi_table=true),
    given_rows((), {'overwritten': ('a', "it's"), 'bronze': given_relation()}),
    given_plan('string')
) }}
