{# Carried in the compiled SQL from the query to the statement that writes: dbt renders the two apart. #}
{% macro cdc_mark_sql(name, value) -%}
-- cdc mark {{ name }}: {{ value }}
{%- endmacro %}
