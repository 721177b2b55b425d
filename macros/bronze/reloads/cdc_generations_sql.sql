{#
    The load generations of a table: `loads`, `counted` (the load versions that belong to a generation) and `starts`. A
    version with the content of the one before is a redelivery, unless no change came between it and one of another file
    with other content: both are of one reload then (docs/feeds/dms_format.md, Restart, resume, reload).
#}
{% macro cdc_generations_sql(listing, rejected, cdc, last_batch_id, split=none) -%}
{{ cdc_listed_versions_sql(listing, rejected, cdc, last_batch_id, split) }},

{{ cdc_loads_sql() }},

seconds as (
    select
        again.file_key,
        again.modified_at
    from loads as again
    inner join loads as before
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
    from loads as again
    inner join loads as reload on again.is_redelivered and not reload.is_redelivered and reload.version > 1
    left anti join seconds
        on again.file_key = seconds.file_key and again.modified_at = seconds.modified_at
    left anti join changes {{ cdc_between_sql('again', 'reload') | indent(8) }}
    group by again.file_key, again.modified_at
),

counted as (
    select
        loads.*,
        members.begun_in,
        row_number() over (partition by loads.file_key order by loads.modified_at) as number
    from loads
    left join members on loads.file_key = members.file_key and loads.modified_at = members.modified_at
    where not loads.is_redelivered or members.begun_in is not null
),

starts as (
    select
        number as generation,
        min(modified_at) as began_at,
        min(batch_id) as batch_id
    from counted
    group by number
)
{%- endmacro %}
