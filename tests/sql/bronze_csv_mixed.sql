{{ cdc_bronze_sql(
    given_table('csv', header=false, mixed=true), given_files_sql(mixed=true), {'view': 'raw_view'}, given_plan('string')
) }}
