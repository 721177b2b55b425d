{# The files whose statistics show no value of the range are not read. #}
{% macro cdc_in_range_sql(value, key_range) -%}
{{ value }} >= cast({{ adapter.string_literal(key_range.first) }} as {{ key_range.type }})
and {{ value }} <= cast({{ adapter.string_literal(key_range.last) }} as {{ key_range.type }})
{%- endmacro %}
