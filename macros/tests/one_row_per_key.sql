{% test one_row_per_key(model) %}
{{ cdc_blocks_nothing() }}
{%- if not cdc_is_test() or cdc_data_tests().check(model).reads_all %}
select
    {{ cdc_key_list_sql(cdc_config_of(model)) }},
    count(*) as row_count
from {{ model }}
group by {{ cdc_key_list_sql(cdc_config_of(model)) }}
having count(*) > 1
{%- endif %}
{% endtest %}
