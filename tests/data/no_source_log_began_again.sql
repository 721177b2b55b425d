{#
    A restored database, or a new server that replaces it, counts its log from a smaller number: silver would take every
    later change for an old one and ignore it. Reported until the table is read by a feed of its own
    (docs/feeds/debezium.md).
#}
{{ config(severity='warn') }}
-- depends_on: {{ ref('raw_processed_files') }}
{{ cdc_blocks_nothing() }}
{{ cdc_restarted_positions_sql(cdc_debezium_splits() if cdc_is_test() else []) }}
