{#
    Silver computed again from all of bronze by another road than the merge: a window over the whole log. Compared at the
    bronze snapshot that silver says it has applied.
#}
{% test silver_matches_bronze(model) %}
{{ cdc_blocks_nothing() }}
{%- if not execute or flags.WHICH not in ['test', 'build'] %}
select *
from {{ model }}
where false
{%- else %}
    {%- set cdc = cdc_config_of(model) %}
    {%- set bronze = cdc_bronze_of(cdc) %}
    {%- set columns = adapter.get_columns_in_relation(model) | map(attribute='name') | list %}
    {%- set known = adapter.get_columns_in_relation(bronze) | map(attribute='name') | map('lower') | list %}
    {%- set snapshot_id = cdc_progress(model).get('cdc.bronze-snapshot-id', 0) %}
    {{ cdc_silver_difference_sql(cdc, model, bronze, snapshot_id, columns, known) }}
{%- endif %}
{% endtest %}
