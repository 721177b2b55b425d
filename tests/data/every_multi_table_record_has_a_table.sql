{#
    Multi-table files may hold records of tables without metadata: these wait in the split table, and go to bronze once
    the table has a row in seeds/cdc_tables.csv.
#}
{{ config(severity='warn') }}
-- depends_on: {{ ref('raw_processed_files') }}
{{ cdc_blocks_nothing() }}
{{ cdc_data_tests().ask_unknown_tables() if cdc_is_test() }}
