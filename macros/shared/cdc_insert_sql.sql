{% macro cdc_insert_sql(target, source, columns, what='into') -%}
insert {{ what }} {{ target }} ({{ get_quoted_csv(columns) }})
select {{ get_quoted_csv(columns) }}
from {{ source }}
{%- endmacro %}
