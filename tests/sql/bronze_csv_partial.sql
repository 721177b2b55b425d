{{ cdc_bronze_sql(
    given_table('csv', partial=true), given_files_sql(), {'view': 'raw_view', 'columns': []}, given_plan('string')
) }}
