{% test one_row_per_key(model) %}
{{ cdc_blocks_nothing() }}
{%- if not cdc_is_test() or cdc_data_tests().check(model).reads_all %}
{%- set cdc = cdc_config_of(model) if execute else {'mode': 'current', 'primary_key': ['key'], 'key_comparison': []} %}
select
    {{ cdc_key_list_sql(cdc) }},
    count(*) as row_count
from {{ model }}
group by {{ cdc_key_list_sql(cdc) }}
having count(*) > 1
{%- endif %}
{% endtest %}
