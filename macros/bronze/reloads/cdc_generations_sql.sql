{#
    The load generations of a table, as the versions of its load objects tell them: `loads` (all that could be read, and
    whether each is a redelivery), `changes` (when each change object first came, in whatever version), `counted` (the
    load versions that belong to a generation) and `starts`. A version with the content of the one before is a redelivery,
    unless no change came between it and one of another object with other content: both are of one reload then (docs/contracts.md, 1.10).
    A version that was replaced before it was read is judged like the version that replaced it. One that comes after a newer
    version of its object, out of a backup for example, counts for nothing.
#}
{% macro cdc_generations_sql(listing, rejected, cdc, last_batch_id, split=none) -%}
objects as (
    select
        kind,
        object_key,
        size,
        modified_at,
        max_by(path, batch_id) as path,
        min(batch_id) as batch_id,
        max(batch_id) as last_batch_id
    from {{ listing }}
    where
        feed = {{ adapter.string_literal(cdc.feed) }}
        and batch_id <= {{ last_batch_id }}
        and (
            kind in ('load', 'change')
            and source_schema = {{ adapter.string_literal(cdc.source_schema) }}
            and source_table = {{ adapter.string_literal(cdc.source_table) }}
            {%- if split is not none %}
            or kind = 'mixed'
            and object_key in (
                select mixed.object_key
                from {{ split }} as mixed
                where {{ cdc_in_batches_sql(cdc, 0) | indent(16) }}
            )
            {%- endif %}
        )
    group by kind, object_key, size, modified_at
),

judged as (
    select
        objects.kind,
        objects.object_key,
        objects.size,
        objects.modified_at,
        objects.path,
        objects.batch_id,
        coalesce(max(rejected.rule) filter (where rejected.rule <> 'replaced'), max(rejected.rule)) as rule
    from objects
    left join {{ rejected }} as rejected
        on
            objects.path = rejected.path
            and objects.size = rejected.size
            and objects.modified_at = rejected.modified_at
            and objects.last_batch_id <= rejected.batch_id
    group by all
),

changes as (
    select
        object_key,
        min(modified_at) as came_at,
        bool_or(rule is null) as is_read
    from judged
    where kind <> 'load'
    group by object_key
),

fates as (
    select
        *,
        first_value(if(rule <=> 'replaced', null, struct(rule))) ignore nulls over (
            partition by object_key order by modified_at rows between current row and unbounded following
        ).rule <=> 'redelivered' as is_redelivered,
        coalesce(
            min(batch_id) over (
                partition by object_key order by modified_at rows between 1 following and unbounded following
            ) < batch_id,
            false
        ) as is_outdated
    from judged
    where kind = 'load' and coalesce(rule, '') <> 'unreadable'
),

loads as (
    select
        *,
        row_number() over (partition by object_key, is_redelivered order by modified_at) as version
    from fates
    where not is_outdated and not (is_redelivered and rule = 'replaced')
),

seconds as (
    select
        again.object_key,
        again.modified_at
    from loads as again
    inner join loads as before
        on
            again.is_redelivered
            and again.object_key = before.object_key
            and again.modified_at > before.modified_at
            and (before.is_redelivered or before.version > 1)
    left anti join changes {{ _between_sql('before', 'again') | indent(8) }}
),

members as (
    select
        again.object_key,
        again.modified_at,
        min(reload.batch_id) as begun_in
    from loads as again
    inner join loads as reload on again.is_redelivered and not reload.is_redelivered and reload.version > 1
    left anti join seconds
        on again.object_key = seconds.object_key and again.modified_at = seconds.modified_at
    left anti join changes {{ _between_sql('again', 'reload') | indent(8) }}
    group by again.object_key, again.modified_at
),

counted as (
    select
        loads.*,
        members.begun_in,
        row_number() over (partition by loads.object_key order by loads.modified_at) as number
    from loads
    left join members on loads.object_key = members.object_key and loads.modified_at = members.modified_at
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


{# A load and a change of one time: the load comes first. #}
{% macro _between_sql(one, other) -%}
on
    changes.is_read
    and changes.came_at >= least({{ one }}.modified_at, {{ other }}.modified_at)
    and changes.came_at < greatest({{ one }}.modified_at, {{ other }}.modified_at)
{%- endmacro %}
