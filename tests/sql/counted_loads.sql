{{ cdc_counted_loads_sql('versions', 'loads') }}
