{# The state before the first change of a key: no row, or the row that silver had, if it had one. #}
{% macro cdc_fold_start_sql(cdc, plan, before=none) -%}
{%- set has_row = before ~ '._cdc_sequence is not null' if before else none -%}
struct(
    {{ has_row ~ (' and not ' ~ before ~ '._cdc_is_deleted' if cdc.is_soft) if before else 'false' }} as live,
    {{ 'coalesce(' ~ before ~ "._cdc_sequence, '')" if before else "''" }} as sequence,
    struct(
        {%- for column in plan %}
        {%- set name = adapter.quote(column.name) %}
        cast({{ before ~ '.' ~ name if before else 'null' }} as {{ column.raw_type }}) as {{ name }}{{ ',' if not loop.last }}
        {%- endfor %}
    ) as image
)
{%- endmacro %}
