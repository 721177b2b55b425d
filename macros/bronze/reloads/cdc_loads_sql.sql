{#
    The versions of load files that count, each with whether it is a redelivery. A version that was replaced before it
    was read is judged like the version that replaced it. One that was replaced after a redelivery of it had been found
    had been read then: bronze was dropped or rolled back since. One that comes after a newer version of its file, out
    of a backup for example, counts for nothing.
#}
{% macro cdc_loads_sql(versions) -%}
with fates as (
    select
        *,
        first_value(if(rule <=> 'replaced', null, struct(rule, rejected_at))) ignore nulls over (
            partition by file_key order by modified_at rows between current row and unbounded following
        ) as fate,
        coalesce(
            min(batch_id) over (
                partition by file_key order by modified_at rows between 1 following and unbounded following
            ) < batch_id,
            false
        ) as is_outdated
    from {{ versions }}
    where kind = 'load' and coalesce(rule, '') <> 'unreadable'
),

judged as (
    select
        *,
        fate.rule <=> 'redelivered'
        and not (rule = 'replaced' and rejected_at > fate.rejected_at) as is_redelivered
    from fates
)

select
    *,
    row_number() over (partition by file_key, is_redelivered order by modified_at) as version
from judged
where not is_outdated and not (is_redelivered and rule = 'replaced')
{%- endmacro %}
