{{ given_files_sql() }}
