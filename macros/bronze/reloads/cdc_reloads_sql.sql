{#
    The reloads of which a change has come, each with its untouched load files: files of an earlier generation that have
    no version in it and are still there. A reload without untouched files is complete.
#}
{% macro cdc_reloads_sql(cdc, listing, rejected, last_batch_id, split=none) -%}
with {{ cdc_generations_sql(listing, rejected, cdc, last_batch_id, split) }},

of_generations as (
    select
        counted.file_key,
        max(starts.generation) as generation
    from counted
    inner join starts on counted.modified_at >= starts.began_at
    group by counted.file_key, counted.modified_at
),

changed as (
    select
        changes.file_key,
        max(starts.generation) as generation
    from changes
    inner join starts on changes.came_at >= starts.began_at
    where changes.is_read
    group by changes.file_key
),

there as (
    {{ cdc_present_loads_sql(cdc, listing, last_batch_id) | indent(4) }}
),

untouched as (
    select distinct
        reloads.generation,
        before.file_key
    from changed as reloads
    inner join of_generations as before on before.generation < reloads.generation
    left semi join there on before.file_key = there.file_key
    left anti join of_generations as own
        on before.file_key = own.file_key and reloads.generation = own.generation
)

select
    reloads.generation,
    array_join(array_sort(collect_set(untouched.file_key)), ', ') as untouched
from changed as reloads
left join untouched on reloads.generation = untouched.generation
where reloads.generation > 1
group by reloads.generation
order by reloads.generation
{%- endmacro %}
