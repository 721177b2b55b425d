{#
    The reloads of which a change has come, each with its untouched load files (files of an earlier generation that have
    no version in it and are still there) and its unread ones: versions that nobody could read, with no change between
    them and the load, of files that have not come again since. Without both it is complete, if each row could be read.
#}
{% macro cdc_reloads_sql(cdc, listing, versions, counted, last_batch_id) -%}
with {{ cdc_generations_sql(versions, counted) }},

of_generations as (
    select
        counted.file_key,
        counted.modified_at,
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
    inner join of_generations as before on reloads.generation > before.generation
    left semi join there on before.file_key = there.file_key
    left anti join of_generations as own
        on before.file_key = own.file_key and reloads.generation = own.generation
),

{{ cdc_unread_loads_sql(versions) }}

select
    reloads.generation,
    array_join(array_sort(collect_set(untouched.file_key)), ', ') as untouched,
    to_json(array_sort(collect_set(
        struct(unread.file_key, unix_millis(unread.modified_at) as modified_millis)
    ) filter (where unread.file_key is not null))) as unread
from changed as reloads
left join untouched on reloads.generation = untouched.generation
left join unread on reloads.generation = unread.generation
where reloads.generation > 1
group by reloads.generation
order by reloads.generation
{%- endmacro %}
