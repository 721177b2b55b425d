{# How many keys a batch has. #}
{% macro cdc_count_keys_sql(cdc, changes) -%}
with new_changes as (
    {{ changes.sql | indent(4) }}
),

keys as (
    select distinct {{ cdc_key_list_sql(cdc) }}
    from new_changes
)

select count(*) as keys
from keys
{%- endmacro %}
