{{ _newest_batches_sql('etl_metadata.raw_listing') }}
