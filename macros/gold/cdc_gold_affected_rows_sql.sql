{# How many rows of a gold table have an affected key and are not frozen. #}
{% macro cdc_gold_affected_rows_sql(gold, key, keys, frozen=none) -%}
select count(*) as row_count
from {{ gold }} as _cdc_gold
where
    {{ cdc_gold_has_key_sql(keys, key, '_cdc_gold', key) | indent(4) }}
    {%- if frozen is not none %}
    and {{ cdc_gold_thawed_sql(frozen, key, '_cdc_gold') | indent(4) }}
    {%- endif %}
{%- endmacro %}
