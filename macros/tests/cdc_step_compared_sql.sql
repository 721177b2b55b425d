{#
    The end of a comparison of a step: rows that one of `expected` and `rows_now` has more often, and one row if keys without
    changes got or lost rows: then the table grew by other than the rows of the changed keys did. One pass, and one
    column to group by: Spark takes no more than 64 where it also makes a total.
#}
{% macro cdc_step_compared_sql(columns, step, expected_where=none) -%}
{%- set names = get_quoted_csv(columns) -%}
compared as (
    select
        1 as side,
        0 as grown,
        struct({{ names }}) as compared_row
    from expected
    {%- if expected_where %}
    where {{ expected_where }}
    {%- endif %}
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
    from {{ '(select /*+ coalesce(1) */ * from compared)' if step.is_small else 'compared' }}
    group by grouping sets ((compared_row), ())
)

select
    case
        when is_total = 1 then concat('rows of keys without changes: ', {{ step.net_rows }} - grown, ' more than before')
        when side > 0 then 'missing from silver'
        else 'unexpected in silver'
    end as difference,
    compared_row.*
from differences
where if(is_total = 1, coalesce(grown, 0) <> {{ step.net_rows }}, side <> 0)
{%- endmacro %}
