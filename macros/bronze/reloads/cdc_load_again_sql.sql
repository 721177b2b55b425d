{#
    The files of a batch with a load file, and the load files that came again before it with the content that they had:
    if this batch is a reload, they may belong to it.
#}
{% macro cdc_load_again_sql(cdc, files_sql, listing, loads, after_batch_id, last_batch_id) -%}
with files as (
    {{ files_sql | indent(4) }}
),

there as (
    {{ cdc_present_loads_sql(cdc, listing, last_batch_id) | indent(4) }}
)

select
    path,
    size,
    modified_at,
    revision,
    kind,
    file_key,
    file_time,
    generation,
    batch_id,
    is_newest,
    false as is_again
from files
union all
select
    there.path,
    loads.size,
    loads.modified_at,
    cast(null as int) as revision,
    loads.kind,
    loads.file_key,
    cast(null as timestamp) as file_time,
    1 as generation,
    cast({{ last_batch_id }} as bigint) as batch_id,
    true as is_newest,
    true as is_again
from {{ loads }} as loads
inner join there on loads.file_key = there.file_key
where loads.is_redelivered and loads.batch_id <= {{ after_batch_id }}
{%- endmacro %}
