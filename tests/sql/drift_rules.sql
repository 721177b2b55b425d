{{ cdc_drift_rules_sql('select * from waiting_rows') }}
