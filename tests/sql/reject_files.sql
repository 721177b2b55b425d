{{ _reject_files_sql(
    'etl_metadata.rejected_files',
    given_table(),
    given_files_sql(),
    'unreadable',
    [{'path': 'a', 'reason': "it's cut"}, {'path': 'b', 'reason': 'no parquet'}]
) }}
