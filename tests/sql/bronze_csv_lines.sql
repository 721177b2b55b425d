{{ cdc_bronze_sql(
    given_table('csv', header=false, multi_table=true),
    given_files_sql(multi_table=true),
    {'view': 'raw_view', 'has_line_breaks': false},
    given_plan('string')
) }}
