{# A history is right only if its open versions are the rows of the source: computed from bronze, without versions. #}
{% test open_versions_match_bronze(model) %}
{{ cdc_blocks_nothing() }}
{%- set check = cdc_data_tests().check(model) if cdc_is_test() else {'depth': 'empty'} %}
{%- if check.depth == 'empty' %}
select *
from {{ model }}
{%- elif check.depth == 'full' %}
{%- set columns = adapter.get_columns_in_relation(model) | map(attribute='name') | list %}
{%- set plan = cdc_log_plan(check.table.bronze, columns, check.table.cdc) %}
{{ cdc_open_versions_difference_sql(
    check.table.cdc, model, check.table.bronze, check.record.bronze_snapshot_id, plan
) }}
{%- endif %}
{% endtest %}
