{{ cdc_gold_key_ranges_sql('cdc_gold_keys', ['segment', 'day']) }}
