{#
    A snapshot of silver that another writer made: the next run would not notice what it changed. Found in the metadata of
    each table since it was compared last; silver_matches_bronze then compares all of that table.
#}
{{ config(severity='warn') }}
-- depends_on: {{ ref('run_metrics') }}
{{ cdc_blocks_nothing() }}
{%- set foreign = cdc_data_tests().list_foreign() if cdc_is_test() else [] %}
{%- if foreign %}
select *
from values
    {%- for table, snapshot in foreign %}
    (
        {{ adapter.string_literal(table) }}, {{ snapshot.snapshot_id }},
        {{ adapter.string_literal(snapshot.committed_at) }}, {{ adapter.string_literal(snapshot.operation) }},
        {{ snapshot.net_rows }}
    ){{ ',' if not loop.last }}
    {%- endfor %}
    as foreign_snapshots (silver_table, snapshot_id, committed_at, operation, net_rows)
{%- endif %}
