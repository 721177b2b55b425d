{% macro cdc_string_or_null(value) -%}
{{ 'cast(null as string)' if value is none else adapter.string_literal(value) }}
{%- endmacro %}
