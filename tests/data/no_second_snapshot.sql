{#
    A second snapshot in the stream, as after a lost replication slot: rows that were deleted meanwhile stay in silver, and a
    table without a key has the others twice. Reported until the table is read by a feed of its own (docs/runbook.md, "The
    slot was lost").
#}
{{ config(severity='warn') }}
{{ cdc_doubted_runs_sql(ref('run_metrics'), 'second_snapshot') }}
