{# Which rules the first rows that wait break. #}
{% macro cdc_drift_rules_sql(rows_sql) -%}
select
    _cdc_quarantine_rule as rule,
    count(*) as row_count,
    min(_cdc_quarantine_reason) as example
from (
    select
        _cdc_quarantine_rule,
        _cdc_quarantine_reason
    from (
        {{ rows_sql | indent(8) }}
    ) as waiting
    limit 100000
) as first_rows
group by _cdc_quarantine_rule
order by rule
{%- endmacro %}
