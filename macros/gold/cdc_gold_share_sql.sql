{# How many rows a gold table has, and how many of them have an affected key and are not frozen. #}
{% macro cdc_gold_share_sql(gold, key, keys, frozen=none) -%}
select
    count(*) as row_count,
    count_if(_cdc_is_affected) as affected
from (
    select
        exists(
            select /*+ broadcast(_cdc_key) */ 1
            from {{ adapter.quote(keys.view) }} as _cdc_key
            where {{ cdc_gold_same_sql('_cdc_key', key, '_cdc_gold', key, keys.filled) }}
        )
        {%- if frozen is not none %}
        and {{ cdc_gold_thawed_sql(frozen, key, '_cdc_gold') | indent(8) }}
        {%- endif %} as _cdc_is_affected
    from {{ gold }} as _cdc_gold
)
{%- endmacro %}
