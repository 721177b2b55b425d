{{ _multi_table_lines_sql('etl_metadata.split_retail', given_table(), 7, 9, 'raw_view') }}
