{{ cdc_waiting_gaps_sql('etl_metadata.kafka_gaps') }}
