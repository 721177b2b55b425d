{# Removes the rows of the affected keys. #}
{% macro cdc_gold_delete_sql(gold, key, keys_view) -%}
delete from {{ gold }} as _cdc_gold
where {{ cdc_gold_has_key_sql(keys_view, key, '_cdc_gold', key) }}
{%- endmacro %}
