{#
    Whether a step added or removed rows of keys that got no change: by Iceberg's counts the table grew by other than the
    rows of the changed keys did.
#}
{% macro cdc_other_rows_sql(columns, step) -%}
union all
select
    concat('rows of keys without changes: ', {{ step.net_rows }} - net_rows, ' more than before') as difference,
    {%- for name in columns %}
    null as {{ adapter.quote(name) }}{{ ',' if not loop.last }}
    {%- endfor %}
from (
    select (select count(*) from rows_now) - (select count(*) from rows_before) as net_rows
)
where net_rows <> {{ step.net_rows }}
{%- endmacro %}
