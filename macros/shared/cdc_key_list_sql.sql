{# The expressions to group or partition by, to have one group per key. #}
{% macro cdc_key_list_sql(cdc, alias='') -%}
{{ adapter.call_function('python_udfs.pipeline.keys.write_key_list', {
    'warehouse': adapter, 'cdc': cdc, 'alias': alias,
}) }}
{%- endmacro %}
