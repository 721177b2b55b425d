{# What the newest run of `make quality` found of each table. #}
{% macro cdc_report_expectations_sql(results) -%}
with newest as (
    select
        silver_table,
        max(run_at) as run_at
    from {{ results }}
    group by silver_table
)

select
    results.silver_table,
    results.run_at,
    count_if(results.success) as met,
    collect_list(
        struct(
            results.severity, results.column_name, results.expectation, results.observed_value, results.expected,
            results.message
        )
    ) filter (where not results.success) as not_met
from {{ results }} as results
inner join newest on results.silver_table = newest.silver_table and results.run_at = newest.run_at
group by results.silver_table, results.run_at
{%- endmacro %}
