{# Columns without a row: what a table begins as, and what gives a union its columns if it has no other part. #}
{% macro cdc_empty_rows_sql(table) -%}
{%- set columns = adapter.call_function('python_udfs.pipeline.empty_tables.list_columns', {'table': table}) -%}
select
    {%- for column in columns %}
    cast(null as {{ column.type }}) as {{ column.name }}{{ ',' if not loop.last }}
    {%- endfor %}
where false
{%- endmacro %}
