{# Judges the first rows that wait by the statement of a run, and counts those that break a rule. Nothing is written. #}
{% macro cdc_drift_values(cdc, files, files_sql, judged, source_columns, target, bronze) %}
    {% if judged.view is none %}
        {% do return({'rows': [], 'error': none}) %}
    {% endif %}
    {% set policy = cdc.schema_drift %}
    {% set plan = cdc_column_plan(source_columns, target, policy) %}
    {% set rows = adapter.call_function('python_udfs.pipeline.bronze.complete_rows', {
        'cdc': cdc, 'reading': judged, 'bronze': bronze,
        'drift_sql': cdc_schema_drift_sql(cdc, judged, target) if policy == 'quarantine' else none,
    }) %}
    {% do return(adapter.attempt(_rules_sql(cdc_bronze_sql(cdc, files_sql, rows, plan, files.last_batch_id)))) %}
{% endmacro %}


{% macro _rules_sql(rows_sql) -%}
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
