{#
    The end of a comparison of a step: rows that one of `expected` and `rows_now` has more often, and one row if keys
    without changes got or lost rows: then the table grew by other than the rows of the changed keys did. One pass, and
    one column to group by: Spark takes no more than 64 where it also makes a total.
#}
{% macro cdc_step_compared_sql(comparison, expected_where=none) -%}
{%- set names, net_rows = get_quoted_csv(comparison.compared), comparison.step.net_rows -%}
compared as (
    select
        1 as side,
        0 as grown,
        struct({{ names }}) as compared_row
    from expected
    {{ 'where ' ~ expected_where if expected_where }}
    union all
    select
        -1 as side,
        1 as grown,
        struct({{ names }}) as compared_row
    from rows_now
    union all
    select
        0 as side,
        -1 as grown,
        null as compared_row
    from rows_before
),

differences as (
    select
        grouping(compared_row) as is_total,
        sum(side) as side,
        sum(grown) as grown,
        compared_row
    from {{ '(select /*+ coalesce(1) */ * from compared)' if comparison.is_small else 'compared' }}
    group by grouping sets ((compared_row), ())
)

select
    case
        when is_total = 1 then concat('rows of keys without changes: ', {{ net_rows }} - grown, ' more than before')
        when side > 0 then 'missing from silver'
        else 'unexpected in silver'
    end as difference,
    compared_row.*
from differences
where if(is_total = 1, coalesce(grown, 0) <> {{ net_rows }}, side <> 0)
{%- endmacro %}
