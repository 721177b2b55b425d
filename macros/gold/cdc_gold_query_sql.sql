{# All rows of the model's own query, at the snapshots that its commit names. #}
{% macro cdc_gold_query_sql(moved, query_sql) -%}
with
{%- for input in moved %}
_cdc_in{{ input.number }} as (
    {{ cdc_gold_state_sql(input.relation, input.after_id) | indent(4) }}
){{ ',\n' if not loop.last }}
{%- endfor %}

select *
from (
    {{ query_sql | indent(4) }}
) as _cdc_query
{%- endmacro %}
