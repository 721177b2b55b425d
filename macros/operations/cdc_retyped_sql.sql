{# The rows of bronze in other types. #}
{% macro cdc_retyped_sql(bronze, columns) -%}
select
    {%- for column in columns %}
    {{ adapter.call_function('python_udfs.pipeline.casts.write_value', {
        'column': column, 'warehouse': adapter,
    }) }} as {{ adapter.quote(column.name) }}{{ ',' if not loop.last }}
    {%- endfor %}
from {{ bronze }}
{%- endmacro %}
