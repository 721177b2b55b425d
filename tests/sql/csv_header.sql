{{ cdc_csv_header_sql('raw_view', ',') }}
