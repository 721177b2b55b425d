{% set moved_sql = cdc_gold_moved_sql(
    'gold.sales', given_gold(), ["day = date '2026-01-01'", "day = date '2026-01-02'"]
) %}
with
{{ cdc_gold_states_sql(given_movements(), moved_sql) }}

select *
from (
    {{ moved_sql | indent(4) }}
) as _cdc_moved
