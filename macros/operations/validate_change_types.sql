{# The decided types, and each value that is not known to survive by its type alone. #}
{% macro validate_change_types(table, bronze, decided) %}
    {% set problems = decided.problems | list %}
    {% set judged = decided.changes | selectattr('is_judged') | list %}
    {% for row in (run_query(_values_that_change_sql(bronze, judged)) if judged and not problems else []) %}
        {% do problems.append(row['failure'] ~ ' (' ~ row['row_count'] ~ ' rows of ' ~ bronze ~ ')') %}
    {% endfor %}
    {% if problems %}
        {% do exceptions.raise_compiler_error(
            'CDC error (change_types) for ' ~ table ~ ': ' ~ problems | join('. ') ~ '. Nothing was changed.'
        ) %}
    {% endif %}
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
