{# Removes the rows of some keys, or all of them, but not those that are frozen. #}
{% macro cdc_gold_delete_sql(gold, key, keys=none, frozen=none) -%}
delete from {{ gold }} as _cdc_gold
where
    {%- if keys is not none %}
    {{ cdc_gold_has_key_sql(keys, key, '_cdc_gold', key) | indent(4) }}
    {%- endif %}
    {%- if frozen is not none %}
    {{ 'and ' if keys is not none }}{{ cdc_gold_thawed_sql(frozen, key, '_cdc_gold') | indent(4) }}
    {%- endif %}
{%- endmacro %}
