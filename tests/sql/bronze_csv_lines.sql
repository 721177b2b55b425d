{{ cdc_bronze_sql(
    given_table('csv', header=false, mixed=true),
    given_files_sql(mixed=true),
    {'view': 'raw_view', 'has_line_breaks': false},
    given_plan('string')
) }}
