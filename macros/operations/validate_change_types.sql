{# The decided types, and each value that is not known to survive by its type alone. #}
{% macro validate_change_types(table, bronze, decided) %}
    {% set judged = decided.changes | selectattr('is_judged') | list %}
    {% set has_to_ask = judged and not decided.problems %}
    {% do adapter.call_function('python_udfs.pipeline.operations.require_types', {
        'table': table, 'bronze': bronze, 'problems': decided.problems,
        'failures': adapter.query(_values_that_change_sql(bronze, judged)) if has_to_ask else [],
    }) %}
{% endmacro %}


{# Quarantined rows are judged when they are replayed. #}
{% macro _values_that_change_sql(bronze, columns) -%}
with failures as (
    select explode(array_compact({{ cdc_cast_failures_sql(columns) | indent(4) }})) as failure
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
