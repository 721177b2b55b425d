{{ cdc_bronze_sql(
    given_table('csv', header=false, multi_table=true), given_files_sql(multi_table=true), {'view': 'raw_view'}, given_plan('string')
) }}
