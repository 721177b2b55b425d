{% test no_key_is_null(model) %}
{{ cdc_blocks_nothing() }}
{%- if not cdc_is_test() or cdc_data_tests().check(model).reads_all %}
select *
from {{ model }}
where
    {%- for key in cdc_config_of(model).primary_key %}
    {{ 'and ' if not loop.first }}{{ adapter.quote(key) }} is null
    {%- else %}
    false
    {%- endfor %}
{%- endif %}
{% endtest %}
