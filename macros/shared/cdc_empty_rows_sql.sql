{# Columns without a row: what a table begins as, and what gives a union its columns where it has no other part. #}
{% macro cdc_empty_rows_sql(columns) -%}
select
    {%- for name, type in columns.items() %}
    cast(null as {{ type }}) as {{ name }}{{ ',' if not loop.last }}
    {%- endfor %}
where false
{%- endmacro %}
