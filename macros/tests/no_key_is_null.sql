{% test no_key_is_null(model) %}
{{ cdc_blocks_nothing() }}
{%- if cdc_compares_all(model) %}
{%- set keys = cdc_config_of(model).get('primary_key', []) if execute else ['key'] %}
select *
from {{ model }}
where {% for key in keys %}{{ adapter.quote(key) }} is null{{ ' and ' if not loop.last }}{% else %}false{% endfor %}
{%- endif %}
{% endtest %}
