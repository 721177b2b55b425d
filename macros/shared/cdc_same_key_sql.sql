{# Whether the rows of two aliases have one key. #}
{% macro cdc_same_key_sql(cdc, left, right) -%}
{{ adapter.call_function('python_udfs.pipeline.keys.write_same_key', {
    'warehouse': adapter, 'cdc': cdc, 'left': left, 'right': right,
}) }}
{%- endmacro %}
