{#
    Silver computed again from bronze by another algorithm than the model's, at the bronze snapshot that silver's progress
    names: the keys with changes since the last comparison, or the whole table (cdc_check_of). A column that is missing, or is
    not expected, is named, and the others are compared. Before any row was applied silver has only placeholder columns, and
    no row.
#}
{% test silver_matches_bronze(model) %}
{{ cdc_blocks_nothing() }}
{%- set check = cdc_check_of(model) if cdc_is_test() else {'depth': 'empty'} %}
{%- if check.depth == 'empty' %}
select *
from {{ model }}
{%- elif check.depth != 'nothing' %}
    {%- set snapshot_id = check.progress['cdc.bronze-snapshot-id'] %}
    {%- set differences = cdc_column_differences(check.cdc, model, check.bronze, snapshot_id) %}
    {%- set other = differences | map(attribute='name') | list %}
    {%- set columns = adapter.get_columns_in_relation(model) | map(attribute='name') | reject('in', other) | list %}
    {%- set plan = cdc_log_plan(check.bronze, columns, check.cdc) %}
    {%- do adapter.notes('compared').update({check.name: check}) %}
    {%- set step = check if check.depth == 'step' else none %}
    {%- if step and step.is_small %}
        {#- Planned once, not again after each stage. -#}
        {%- do adapter.set_properties({'spark.sql.adaptive.enabled': 'false'}) %}
    {%- endif %}
    {{ _with_columns_sql(
        differences, cdc_difference_sql(check.cdc, model, check.bronze, snapshot_id, columns, plan, step)
    ) }}
{%- endif %}
{% endtest %}


{# The differences of rows after those of columns, if rows can be compared. #}
{% macro _with_columns_sql(differences, rows_sql) -%}
{%- if not differences -%}
{{ rows_sql }}
{%- else -%}
select *
from values
    {%- for difference in differences %}
    ({{ adapter.string_literal(difference.text) }}, cast(null as string)){{ ',' if not loop.last }}
    {%- endfor %}
    as columns (difference, compared_row)
{%- if not differences | selectattr('is_needed') | list %}
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
