{# Removes the rows of some keys, or all of them, but not those that are frozen. #}
{% macro cdc_gold_delete_sql(gold, key, keys=none, frozen=none) -%}
delete from {{ gold }} as _cdc_gold
where
    {%- if keys is not none %}
    {{ cdc_gold_has_key_sql(keys.view, key, '_cdc_gold', key, keys.filled) | indent(4) }}
    {%- for column, key_range in keys.ranges.items() %}
    and {{ cdc_in_range_sql('_cdc_gold.' ~ adapter.quote(column), key_range) | indent(4) }}
    {%- endfor %}
    {%- endif %}
    {%- if frozen is not none %}
    {{ 'and ' if keys is not none }}{{ cdc_gold_thawed_sql(frozen, key, '_cdc_gold') | indent(4) }}
    {%- endif %}
{%- endmacro %}
