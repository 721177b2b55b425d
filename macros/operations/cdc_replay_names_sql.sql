{#
    The names that the columns of quarantined rows have: of messages in the view of cdc_replay_messages_sql; of parquet
    with the types that the files had. No type: an older version of the project recorded none.
#}
{% macro cdc_replay_names_sql(cdc, bronze) -%}
{%- if cdc.format == 'json' -%}
select distinct explode(map_keys(image)) as name
from (
    {{ cdc_replay_messages_sql(cdc, bronze, 0) | indent(4) }}
)
{%- else -%}
with contents as (
    select from_json(_cdc_quarantine_content, 'map<string,string>') as content
    from {{ bronze }}
    where _cdc_quarantine_rule is not null
)

select distinct
    name,
    from_json(content[''], 'map<string,string>')[name] as type
from contents
lateral view explode(map_keys(content)) as name
where name <> ''
{%- endif %}
order by {{ 'name' if cdc.format == 'json' else 'name, type' }}
{%- endmacro %}
