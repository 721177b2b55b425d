select *
from (
    {{ cdc_gold_moved_sql(
        'gold.sales', given_gold(), ["day = date '2026-01-01'", "day = date '2026-01-02'"]
    ) | indent(4) }}
) as _cdc_moved
