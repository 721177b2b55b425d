{# Whether a view of few keys has the key of a row. #}
{% macro cdc_gold_has_key_sql(keys_view, key, row, columns, filled=[]) -%}
exists (
    select /*+ broadcast(_cdc_key) */ 1
    from {{ adapter.quote(keys_view) }} as _cdc_key
    where {{ cdc_gold_same_sql('_cdc_key', key, row, columns, filled) }}
)
{%- endmacro %}
