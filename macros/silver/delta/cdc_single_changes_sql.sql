{# Whether a batch has one change of every key. #}
{% macro cdc_single_changes_sql(cdc, changes) -%}
with new_changes as (
    {{ changes.sql | indent(4) }}
),

keys as (
    select count(*) as changes
    from new_changes
    group by {{ cdc_key_list_sql(cdc) }}
)

select max(changes) = 1 as has_single_changes
from keys
{%- endmacro %}
