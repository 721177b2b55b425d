{#
    The files of a batch with their load generations: the newest that had begun when the file came. A truncate has the
    time of a run, whose clock is not that of the store: it ends what was listed before it. A load file that only came
    again is left out, unless it belongs to a reload; one of an earlier batch is then read with the batch that shows it,
    if its content is still there. If bronze has lost the version that it repeats, it is read in the place of that one.
#}
{% macro cdc_generation_files_sql(files_sql, versions, counted, after_batch_id, same) -%}
{%- set keys -%}
array({% for key in same %}{{ adapter.string_literal(key) }}{{ ', ' if not loop.last }}{% endfor %})
{%- endset -%}
{%- set is_same = 'array_contains(' ~ keys ~ ', files.file_key)' if same else 'false' -%}
with {{ cdc_generations_sql(versions, counted) }},

files as (
    {{ files_sql | indent(4) }}
),

new_loads as (
    select file_key
    from files
    where kind = 'load' and is_newest and not is_again
),

repeated as (
    select
        again.file_key,
        again.modified_at,
        max(counted.modified_at) as came_at
    from {{ versions }} as again
    inner join counted on again.file_key = counted.file_key and again.modified_at > counted.modified_at
    where again.kind = 'load' and again.rule = 'redelivered'
    group by again.file_key, again.modified_at
    having max_by(counted.batch_id, counted.modified_at) > {{ after_batch_id }}
),

dated as (
    select
        files.*,
        coalesce(changes.came_at, counted.modified_at, repeated.came_at, files.modified_at) as came_at
    from files
    left join changes on files.file_key = changes.file_key
    left join new_loads on files.file_key = new_loads.file_key
    left join counted on files.file_key = counted.file_key and files.modified_at = counted.modified_at
    left join repeated on files.file_key = repeated.file_key and files.modified_at = repeated.modified_at
    where
        files.kind <> 'load'
        or not files.is_newest
        or not files.is_again and coalesce(counted.file_key, repeated.file_key) is not null
        or files.is_again and counted.begun_in > {{ after_batch_id }} and ({{ is_same }} or new_loads.file_key is null)
)

select
    {%- for column in [
        'path', 'size', 'modified_at', 'revision', 'kind', 'file_key', 'file_time', 'batch_id', 'is_newest', 'is_again',
    ] %}
    dated.{{ column }},
    {%- endfor %}
    cast(coalesce(max(starts.generation), 1) as int) as generation
from dated
left join starts on if(dated.kind = 'truncate', starts.batch_id < dated.batch_id, starts.began_at <= dated.came_at)
group by all
{%- endmacro %}
