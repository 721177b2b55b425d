{{ cdc_bronze_sql(given_table('csv', partial=true), given_files_sql(), given_rows(), given_plan('string')) }}
