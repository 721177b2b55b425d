{# A history is right only if its open versions are the rows of the source: computed from bronze, without versions. #}
{% test open_versions_match_bronze(model) %}
{{ cdc_blocks_nothing() }}
{%- set progress = cdc_progress(model) if execute and flags.WHICH in ['test', 'build'] else {} %}
{%- if progress.get('cdc.sequence') %}
    {%- set cdc = cdc_config_of(model) %}
    {%- set bronze = cdc_table_of('bronze', cdc) %}
    {%- set columns = adapter.get_columns_in_relation(model) | map(attribute='name') | list %}
    {%- set plan = cdc_log_plan(bronze, columns, cdc) %}
    {{ cdc_open_versions_difference_sql(cdc, model, bronze, progress['cdc.bronze-snapshot-id'], plan) }}
{%- else %}
select *
from {{ model }}
{%- endif %}
{% endtest %}
