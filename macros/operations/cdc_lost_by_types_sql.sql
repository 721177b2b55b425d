{#
    Values of bronze that other types do not hold. Quarantined rows are judged when they are replayed. Of a delete only
    the key is used (record 63), of older content of an overwritten file nothing.
#}
{% macro cdc_lost_by_types_sql(bronze, of_key, of_others) -%}
with judged as (
    select
        _cdc_operation,
        {{ cdc_cast_failures_sql(of_key) | indent(8) }} as key_failures,
        {{ cdc_cast_failures_sql(of_others) | indent(8) }} as other_failures
    from {{ bronze }} as _cdc_log
    where
        _cdc_quarantine_rule is null
        and not {{ cdc_is_superseded_sql('_cdc_log', bronze) | indent(8) }}
),

failures as (
    select
        explode(array_compact(
            if(_cdc_operation = 'D', key_failures, concat(key_failures, other_failures))
        )) as failure
    from judged
)

select
    failure,
    count(*) as row_count
from failures
group by failure
order by failure
limit 5
{%- endmacro %}
