{{ cdc_csv_short_records_sql(given_table('csv', multi_table=true), given_files_sql(multi_table=true), 'raw_view') }}
