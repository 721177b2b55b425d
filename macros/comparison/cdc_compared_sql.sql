{# Rows that one side has more often than the other: those of `expected`, and those of silver. #}
{% macro cdc_compared_sql(silver, columns, expected_where=none, silver_where=none) -%}
{%- set names = get_quoted_csv(columns) -%}
compared as (
    select
        1 as _cdc_side,
        {{ names }}
    from expected
    {{ 'where ' ~ expected_where if expected_where }}
    union all
    select
        -1 as _cdc_side,
        {{ names }}
    from {{ silver }}
    {{ 'where ' ~ silver_where if silver_where }}
)

select
    if(sum(_cdc_side) > 0, 'missing from silver', 'unexpected in silver') as difference,
    {{ names }}
from compared
group by {{ names }}
having sum(_cdc_side) <> 0
{%- endmacro %}
