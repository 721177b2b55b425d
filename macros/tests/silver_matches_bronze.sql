{#
    Silver computed again from bronze by another algorithm than the model's, at the bronze snapshot that silver's progress
    names: the keys with changes since the last comparison, or the whole table (cdc_check_of). Before any row was applied
    silver has only placeholder columns, and no row.
#}
{% test silver_matches_bronze(model) %}
{{ cdc_blocks_nothing() }}
{%- set check = cdc_check_of(model) if cdc_is_test() else {'depth': 'empty'} %}
{%- if check.depth == 'empty' %}
select *
from {{ model }}
{%- elif check.depth != 'nothing' %}
    {%- set columns = adapter.get_columns_in_relation(model) | map(attribute='name') | list %}
    {%- set plan = cdc_log_plan(check.bronze, columns, check.cdc) %}
    {%- do adapter.notes('compared').update({check.name: check}) %}
    {%- set step = check if check.depth == 'step' else none %}
    {%- if step and step.is_small %}
        {#- Planned once, not again after each stage. -#}
        {%- do adapter.set_properties({'spark.sql.adaptive.enabled': 'false'}) %}
    {%- endif %}
    {{ cdc_difference_sql(check.cdc, model, check.bronze, check.progress['cdc.bronze-snapshot-id'], columns, plan, step) }}
{%- endif %}
{% endtest %}
