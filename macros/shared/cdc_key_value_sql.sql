{# A key column as it is compared: case or trailing spaces that key_comparison ignores are removed. #}
{% macro cdc_key_value_sql(column, comparison) -%}
{{ adapter.call_function('python_udfs.pipeline.keys.write_key_value', {'value': column, 'comparison': comparison}) }}
{%- endmacro %}
