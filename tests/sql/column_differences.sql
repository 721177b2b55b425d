{{ cdc_column_differences_sql(["'column a is missing'", "'column b is unexpected'"], 'select difference from rows') }}
