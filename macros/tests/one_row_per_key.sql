{% test one_row_per_key(model) %}
{{ cdc_blocks_nothing() }}
{%- set keys = cdc_config_of(model).get('primary_key', []) if execute else ['key'] %}
select
    {{ cdc_column_list_sql(keys) }},
    count(*) as row_count
from {{ model }}
group by {{ cdc_column_list_sql(keys) }}
having count(*) > 1
{% endtest %}
