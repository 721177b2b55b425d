select {{ cdc_source_log_sql() }}
from etl_metadata.split_a
