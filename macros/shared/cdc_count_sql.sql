{% macro cdc_count_sql(rows) -%}
select count(*) as row_count from {{ rows }}
{%- endmacro %}
