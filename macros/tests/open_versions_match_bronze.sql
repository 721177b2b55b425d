{# A history is right only if what it calls open is what the source has: told from bronze without any version. #}
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
