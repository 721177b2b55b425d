{% macro cdc_fold_start_sql(plan) -%}
struct(
    false as live,
    '' as sequence,
    struct(
        {%- for column in plan %}
        cast(null as {{ column.raw_type }}) as {{ adapter.quote(column.name) }}{{ ',' if not loop.last }}
        {%- endfor %}
    ) as image
)
{%- endmacro %}
