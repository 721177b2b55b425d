{{ cdc_single_numbers_sql('id', given_changes()) }}
