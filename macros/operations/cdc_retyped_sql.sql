{# The rows of bronze in other types. #}
{% macro cdc_retyped_sql(bronze, columns) -%}
select
    {%- for column in columns %}
    {{ cdc_cast_sql(column) }} as {{ adapter.quote(column.name) }}{{ ',' if not loop.last }}
    {%- endfor %}
from {{ bronze }}
{%- endmacro %}
