{#
    A restored database, or a new server that replaces it, counts its log from a smaller number: silver takes every later
    change for an old one and ignores it. Reported until the table is read by a feed of its own (docs/runbook.md, "The slot
    was lost").
#}
{{ config(severity='warn') }}
{{ cdc_doubted_runs_sql(ref('run_metrics'), 'log_began_again') }}
