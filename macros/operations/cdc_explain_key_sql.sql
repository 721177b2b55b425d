{# The parts are compared in their columns' types, so that 1 and '01' find the same row. #}
{% macro cdc_explain_key_sql(cdc, key, types, is_old=false) -%}
{%- for name, value in key.items() -%}
    {%- set column = adapter.call_function('python_udfs.pipeline.keys.read_old_key', {
        'text': '_cdc_old_key[' ~ adapter.string_literal(name) ~ ']', 'type_': types[name],
    }) if is_old else adapter.quote(name) -%}
    {{ _cdc_explain_part(cdc, column, types[name]) }} <=> {{ _cdc_explain_part(
        cdc, 'null' if value is none else adapter.string_literal(value), types[name]
    ) }}{{ ' and ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}

{% macro _cdc_explain_part(cdc, value, type) -%}
{%- set comparison = cdc.key_comparison if type == 'string' else [] -%}
{{ adapter.call_function('python_udfs.pipeline.keys.write_key_value', {
    'value': 'try_cast(' ~ value ~ ' as ' ~ type ~ ')', 'comparison': comparison,
}) }}
{%- endmacro %}
