{% macro cdc_set_properties_sql(table, properties) -%}
alter table {{ table }} set {{ cdc_properties_sql(properties) }}
{%- endmacro %}
