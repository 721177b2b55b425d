{% macro cdc_count_keys_sql(cdc, changes) -%}
with news as (
    {{ changes.sql | indent(4) }}
),

keys as (
    select distinct {{ cdc_key_list_sql(cdc) }}
    from news
)

select count(*) as keys
from keys
{%- endmacro %}
