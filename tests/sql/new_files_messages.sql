{{ cdc_new_files_sql(
    'etl_metadata.raw_listing', 'etl_metadata.rejected_files', given_table('json'), 7, split='etl_metadata.split_retail'
) }}
