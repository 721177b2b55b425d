{{ cdc_bronze_sql(
    given_table('json', mixed=true, partial=true), given_files_sql(mixed=true), {'view': 'raw_view'}, given_plan('string')
) }}
