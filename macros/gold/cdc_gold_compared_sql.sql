{# The keys of rows that one of two snapshots of a table has, and the other has not, or not as often. #}
{% macro cdc_gold_compared_sql(input, relation, before_id, after_id, columns, limit=none) -%}
with _cdc_rows as (
    select
        {{ get_quoted_csv(columns) }},
        -1 as _cdc_count
    from (
        {{ cdc_gold_state_sql(relation, before_id) | indent(8) }}
    )
    union all
    select
        {{ get_quoted_csv(columns) }},
        1 as _cdc_count
    from (
        {{ cdc_gold_state_sql(relation, after_id) | indent(8) }}
    )
),

_cdc_differing as (
    select {{ get_quoted_csv(input.key) }}
    from _cdc_rows
    group by {{ get_quoted_csv(columns) }}
    having sum(_cdc_count) <> 0
)

select distinct {{ get_quoted_csv(input.key) }}
from _cdc_differing
{%- if limit is not none %}
limit {{ limit }}
{%- endif %}
{%- endmacro %}
