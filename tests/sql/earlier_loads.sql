{{ cdc_earlier_loads_sql(
    given_overtaken(), 'select * from raw_files', 'etl_metadata.raw_listing', 'file_loads'
) }}
