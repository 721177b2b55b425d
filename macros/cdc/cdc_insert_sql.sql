{% macro cdc_insert_sql(target, source, columns, what='into') -%}
insert {{ what }} {{ target }} ({{ cdc_column_list_sql(columns) }})
select {{ cdc_column_list_sql(columns) }}
from {{ source }}
{%- endmacro %}
