{#
    Judges the first rows that wait by the statement of a run, and counts those that break a rule. Nothing is written. Rows
    that cannot be read are an answer, too: a run decodes such files one by one.
#}
{% macro cdc_drift_values(cdc, files, files_sql, raw, judged, target, bronze) %}
    {% if judged.view is none %}
        {% do return({'rules': [], 'problem': none}) %}
    {% endif %}
    {% set plan = cdc_column_plan(cdc_source_columns(cdc, raw), target, cdc.get('schema_drift', 'evolve')) %}
    {% set is_closed = cdc.get('schema_drift') == 'quarantine' %}
    {% set rows = adapter.call_function('python_udfs.pipeline.bronze.complete_rows', {
        'cdc': cdc, 'reading': judged, 'bronze': bronze,
        'drift_sql': cdc_schema_drift_sql(cdc, judged, target) if is_closed else none,
    }) %}
    {% set answer = adapter.attempt(_rules_sql(cdc_bronze_sql(cdc, files_sql, rows, plan, files.last_batch_id))) %}
    {% set rules = [] %}
    {% for row in answer.rows %}
        {% do rules.append({'rule': row.rule, 'rows': row.row_count | int, 'example': row.example}) %}
    {% endfor %}
    {% do return({'rules': rules, 'problem': answer.error}) %}
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
