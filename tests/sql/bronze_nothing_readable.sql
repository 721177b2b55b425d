{{ cdc_bronze_sql(given_table(), given_files_sql(), {'view': none}, given_plan()) }}
