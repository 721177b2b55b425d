{#
    The versions of load files that count, each with whether it is a redelivery. A version that was replaced before it
    was read is judged like the version that replaced it. One that comes after a newer version of its file, out of a
    backup for example, counts for nothing.
#}
{% macro cdc_loads_sql(versions) -%}
with fates as (
    select
        *,
        first_value(if(rule <=> 'replaced', null, struct(rule))) ignore nulls over (
            partition by file_key order by modified_at rows between current row and unbounded following
        ).rule <=> 'redelivered' as is_redelivered,
        coalesce(
            min(batch_id) over (
                partition by file_key order by modified_at rows between 1 following and unbounded following
            ) < batch_id,
            false
        ) as is_outdated
    from {{ versions }}
    where kind = 'load' and coalesce(rule, '') <> 'unreadable'
)

select
    *,
    row_number() over (partition by file_key, is_redelivered order by modified_at) as version
from fates
where not is_outdated and not (is_redelivered and rule = 'replaced')
{%- endmacro %}
