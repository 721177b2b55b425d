{#
    Silver computed again from all of bronze by another algorithm than the model's. Compared at the bronze snapshot that
    silver's progress names. Before any row was applied silver has only placeholder columns, and no row.
#}
{% test silver_matches_bronze(model) %}
{{ cdc_blocks_nothing() }}
{%- set progress = cdc_progress(model) if execute and flags.WHICH in ['test', 'build'] else {} %}
{%- if progress.get('cdc.sequence') %}
    {%- set cdc = cdc_config_of(model) %}
    {%- set bronze = cdc_table_of('bronze', cdc) %}
    {%- set columns = adapter.get_columns_in_relation(model) | map(attribute='name') | list %}
    {%- set plan = cdc_log_plan(bronze, columns, cdc) %}
    {{ cdc_difference_sql(cdc, model, bronze, progress['cdc.bronze-snapshot-id'], columns, plan) }}
{%- else %}
select *
from {{ model }}
{%- endif %}
{% endtest %}
