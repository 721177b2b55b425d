{#
    The load versions that belong to a generation, each with its number. A version with the content of the one before is
    a redelivery, unless no change came between it and one of another file with other content: both are of one reload
    then (docs/feeds/dms_format.md, Restart, resume, reload).
#}
{% macro cdc_counted_loads_sql(versions, loads) -%}
with {{ cdc_change_times_sql(versions) }},

seconds as (
    select
        again.file_key,
        again.modified_at
    from {{ loads }} as again
    inner join {{ loads }} as before
        on
            again.is_redelivered
            and again.file_key = before.file_key
            and again.modified_at > before.modified_at
            and (before.is_redelivered or before.version > 1)
    left anti join changes {{ cdc_between_sql('before', 'again') | indent(8) }}
),

members as (
    select
        again.file_key,
        again.modified_at,
        min(reload.batch_id) as begun_in
    from {{ loads }} as again
    inner join {{ loads }} as reload on again.is_redelivered and not reload.is_redelivered and reload.version > 1
    left anti join seconds
        on again.file_key = seconds.file_key and again.modified_at = seconds.modified_at
    left anti join changes {{ cdc_between_sql('again', 'reload') | indent(8) }}
    group by again.file_key, again.modified_at
)

select
    loads.file_key,
    loads.modified_at,
    loads.batch_id,
    members.begun_in,
    row_number() over (partition by loads.file_key order by loads.modified_at) as number
from {{ loads }} as loads
left join members on loads.file_key = members.file_key and loads.modified_at = members.modified_at
where not loads.is_redelivered or members.begun_in is not null
{%- endmacro %}
