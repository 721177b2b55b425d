{# How many rows a gold table has, and how many of them have an affected key. #}
{% macro cdc_gold_share_sql(gold, key, keys_view) -%}
select
    count(*) as row_count,
    count_if(_cdc_is_affected) as affected
from (
    select
        exists(
            select /*+ broadcast(_cdc_key) */ 1
            from {{ adapter.quote(keys_view) }} as _cdc_key
            where {{ cdc_gold_same_sql('_cdc_key', key, '_cdc_gold', key) }}
        ) as _cdc_is_affected
    from {{ gold }} as _cdc_gold
)
{%- endmacro %}
