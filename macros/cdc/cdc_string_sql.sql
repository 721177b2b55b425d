{# Spark reads backslash escapes inside string literals, so both characters are escaped. #}
{% macro cdc_string_sql(value) -%}
'{{ (value | string).replace("\\", "\\\\").replace("'", "\\'") }}'
{%- endmacro %}
