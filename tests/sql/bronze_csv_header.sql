{{ cdc_bronze_sql(given_table('csv', header=true), given_files_sql(), {'view': 'raw_view'}, given_plan('string')) }}
