{% macro cdc_waiting_gaps_sql(gaps) -%}
select *
from {{ gaps }}
where status = 'waiting'
{%- endmacro %}
