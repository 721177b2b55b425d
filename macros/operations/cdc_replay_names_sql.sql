{# The names that the columns of quarantined rows have: of messages in the view of cdc_replay_messages_sql. #}
{% macro cdc_replay_names_sql(cdc, bronze) -%}
{%- if cdc.format == 'json' -%}
select distinct explode(map_keys(image)) as name
from (
    {{ cdc_replay_messages_sql(cdc, bronze, 0) | indent(4) }}
)
{%- else -%}
select distinct explode(map_keys(from_json(_cdc_quarantine_content, 'map<string,string>'))) as name
from {{ bronze }}
where _cdc_quarantine_rule is not null
{%- endif %}
order by name
{%- endmacro %}
