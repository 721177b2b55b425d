{# Values of bronze that other types do not hold. Quarantined rows are judged when they are replayed. #}
{% macro cdc_lost_by_types_sql(bronze, checks) -%}
with failures as (
    select explode(array_compact({{ cdc_cast_failures_sql(checks) | indent(4) }})) as failure
    from {{ bronze }}
    where _cdc_quarantine_rule is null
)

select
    failure,
    count(*) as row_count
from failures
group by failure
order by failure
limit 5
{%- endmacro %}
