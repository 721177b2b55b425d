{#
    Silver computed again from bronze by another algorithm than the model's, at the bronze snapshot that silver's progress
    names: the keys with changes since the last comparison, or the whole table (python_udfs/pipeline/checks.py). A column that
    is missing, or is not expected, is named, and the others are compared. Before any row was applied silver has only
    placeholder columns, and no row. The end of the command reads from the comment what a pass records (cdc_record_checks).
#}
{% test silver_matches_bronze(model) %}
{{ cdc_blocks_nothing() }}
{%- set check = cdc_data_tests().check(model) if cdc_is_test() else {'depth': 'empty'} %}
{%- if check.depth == 'empty' %}
select *
from {{ model }}
{%- elif check.depth != 'nothing' %}
{{ check.comment }}
{%- set table, snapshot_id = check.table, check.record.bronze_snapshot_id %}
{%- set columns = cdc_data_tests().compare_columns(table, snapshot_id) %}
{%- set plan = cdc_log_plan(table.bronze, columns.names, table.cdc) %}
{%- do adapter.plan_once(is_one_task=false) if check.step and check.step.is_small %}
{{ _with_columns_sql(
    columns,
    cdc_difference_sql(table.cdc, model, table.bronze, snapshot_id, columns.names | list, plan, check.step)
) }}
{%- endif %}
{% endtest %}


{# The differences of rows after those of columns, if rows can be compared. #}
{% macro _with_columns_sql(columns, rows_sql) -%}
{%- if not columns.differences -%}
{{ rows_sql }}
{%- else -%}
select *
from values
    {%- for difference in columns.differences %}
    ({{ adapter.string_literal(difference.text) }}, cast(null as string)){{ ',' if not loop.last }}
    {%- endfor %}
    as columns (difference, compared_row)
{%- if columns.are_enough %}
union all
select
    difference,
    to_json(struct(*)) as compared_row
from (
    {{ rows_sql | indent(4) }}
)
{%- endif %}
{%- endif %}
{%- endmacro %}
