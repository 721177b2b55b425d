{{ cdc_bronze_sql(given_table(), given_files_sql(), given_rows(given_file_columns()), given_plan()) }}
