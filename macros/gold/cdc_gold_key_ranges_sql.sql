{# How many keys a view has, and of each of their columns how many values, and the first and the last. #}
{% macro cdc_gold_key_ranges_sql(keys_view, key) -%}
select
    count(*) as row_count
    {%- for name in key %}
    {%- set column = adapter.quote(name) -%},
    count({{ column }}) as values_{{ loop.index }},
    typeof(min({{ column }})) as type_{{ loop.index }},
    cast(min({{ column }}) as string) as first_{{ loop.index }},
    cast(max({{ column }}) as string) as last_{{ loop.index }}
    {%- endfor %}
from {{ adapter.quote(keys_view) }}
{%- endmacro %}
