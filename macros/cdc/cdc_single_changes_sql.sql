{% macro cdc_single_changes_sql(cdc, changes) -%}
with news as (
    {{ changes.sql | indent(4) }}
),

keys as (
    select count(*) as changes
    from news
    group by {{ cdc_key_list_sql(cdc) }}
)

select max(changes) = 1 as has_single_changes
from keys
{%- endmacro %}
