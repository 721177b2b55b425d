{{ cdc_bronze_sql(given_table('csv', header=false), given_files_sql(), given_rows(), given_plan('string')) }}
