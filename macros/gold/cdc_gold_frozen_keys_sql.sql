{# How many keys have rows that a run would write if they were not frozen. #}
{% macro cdc_gold_frozen_keys_sql(gold, key, frozen, keys=none) -%}
select count(*) as row_count
from (
    select distinct {{ get_quoted_csv(key) }}
    from {{ gold }} as _cdc_gold
    where
        not {{ cdc_gold_thawed_sql(frozen, key, '_cdc_gold') | indent(8) }}
        {%- if keys is not none %}
        and {{ cdc_gold_has_key_sql(keys, key, '_cdc_gold', key) | indent(8) }}
        {%- endif %}
)
{%- endmacro %}
