{{ cdc_bronze_sql(given_table(), given_files_sql(), given_rows((), {'view': none}), given_plan()) }}
