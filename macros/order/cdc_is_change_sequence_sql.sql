{# 16 digits of time and 19 of a number (docs/feeds/dms_format.md): of one width, they compare as text. #}
{% macro cdc_is_change_sequence_sql(value) -%}
{{ value }} rlike '^[0-9]{35}\\z'
{%- endmacro %}
