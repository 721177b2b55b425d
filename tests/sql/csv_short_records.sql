{{ cdc_csv_short_records_sql(given_table('csv', mixed=true), given_files_sql(mixed=true), 'raw_view') }}
