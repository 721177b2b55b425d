{#
    A snapshot of silver that another writer made: the next run would not notice what it changed. Found in the metadata of
    each table since it was compared last; silver_matches_bronze then compares all of that table.
#}
{{ config(severity='warn') }}
-- depends_on: {{ ref('run_metrics') }}
{{ cdc_blocks_nothing() }}
{%- set foreign = [] %}
{%- for node in cdc_models_of('silver') if cdc_is_test() %}
    {%- set silver = load_relation(cdc_relation_of(node)) %}
    {%- for snapshot in (cdc_check_of(silver).get('foreign', []) if silver is not none else []) %}
        {%- do foreign.append(dict(snapshot, silver_table=node.schema ~ '.' ~ node.alias)) %}
    {%- endfor %}
{%- endfor %}
{%- if foreign %}
select *
from values
    {%- for snapshot in foreign %}
    (
        {{ adapter.string_literal(snapshot.silver_table) }}, {{ snapshot.snapshot_id }},
        {{ adapter.string_literal(snapshot.committed_at) }}, {{ adapter.string_literal(snapshot.operation) }},
        {{ snapshot.net_rows }}
    ){{ ',' if not loop.last }}
    {%- endfor %}
    as foreign_snapshots (silver_table, snapshot_id, committed_at, operation, net_rows)
{%- endif %}
