{# Whether a set of few keys has the key of a row. A file whose statistics show no value of their range is not read. #}
{% macro cdc_gold_has_key_sql(keys, key, row, columns) -%}
exists (
    select /*+ broadcast(_cdc_key) */ 1
    from {{ adapter.quote(keys.view) }} as _cdc_key
    where {{ cdc_gold_same_sql('_cdc_key', key, row, columns, keys.filled) }}
)
{%- for column in key %}
{%- if column in keys.ranges %}
and {{ cdc_in_range_sql(row ~ '.' ~ adapter.quote(columns[loop.index0]), keys.ranges[column]) }}
{%- endif %}
{%- endfor %}
{%- endmacro %}
