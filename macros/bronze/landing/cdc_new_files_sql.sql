{#
    A file seen in two versions since the last batch can be read in its newest version only: the older content is gone.
    A load file that comes with an older time than before, out of a backup for example, is older content as well.
    A version that went and came back is listed twice and read once; one that was rejected because it was not there is
    read when it is back. Where files of many tables are split, loads wait for the split to have come as far. Without
    a table: the files of all, each with the name of its table.
#}
{% macro cdc_new_files_sql(listing, rejected, cdc, after_batch_id, split=none, has_gone=false, is_reloaded=false) -%}
{%- set columns = ['path', 'size', 'modified_at', 'revision', 'kind', 'file_key', 'file_time'] -%}
{%- set columns = columns if cdc else ['feed', 'source_schema', 'source_table'] + columns -%}
with listing as (
    select
        {{ columns | reject('equalto', 'path') | join(',\n        ') }},
        max_by(path, batch_id) as path,
        max(batch_id) as batch_id
        {%- if has_gone %},
        max(batch_id) filter (where batch_id <= {{ after_batch_id }}) as earlier_batch_id
        {%- endif %}
    from {{ adapter.scan_sql(listing) }}
    where
        kind in ('load', 'change', 'truncate')
        {%- if cdc %}
        and feed = {{ adapter.string_literal(cdc.feed) }}
        and source_schema = {{ adapter.string_literal(cdc.source_schema) }}
        and source_table = {{ adapter.string_literal(cdc.source_table) }}
        {%- endif %}
        {%- if not has_gone %}
        and batch_id > {{ after_batch_id }}
        {%- endif %}
        {%- if split is not none %}
        and batch_id <= (select max(batch_id) from {{ split }})
        {%- endif %}
    group by {{ columns | reject('equalto', 'path') | join(', ') }}
    {%- if has_gone %}
    having max(batch_id) > {{ after_batch_id }}
    {%- endif %}
)
{%- if is_reloaded %},

{{ cdc_held_loads_sql(cdc, listing, rejected, after_batch_id) }}
{%- endif %}

select
    {%- for column in columns %}
    listing.{{ column }},
    {%- endfor %}
    1 as generation,
    listing.batch_id,
    row_number() over (
        partition by {{ 'listing.feed, ' if not cdc }}listing.file_key
        order by listing.modified_at desc, listing.batch_id desc
    ) = 1 {{ 'and coalesce(listing.modified_at >= held.modified_at, true) ' if is_reloaded -}}
    or listing.kind = 'truncate' as is_newest
    {%- if split is not none and cdc.format == 'json' %},
    cast(null as string) as source_log,
    cast(null as array<string>) as names,
    cast(null as boolean) as are_plain,
    cast(null as array<string>) as changed_keys
    {%- endif %}
from listing
{%- if is_reloaded %}
left join held on listing.kind = 'load' and listing.file_key = held.file_key
{%- endif %}
left anti join {{ adapter.scan_sql(rejected) }} as rejected
    on
        listing.path = rejected.path
        and listing.size = rejected.size
        and listing.modified_at = rejected.modified_at
        and listing.batch_id <= rejected.batch_id
        and rejected.rule <> 'redelivered'
{%- if has_gone %}
where
    listing.earlier_batch_id is null
    or {{ cdc_is_back_sql(cdc, rejected) | indent(4) }}
{%- endif %}
{%- if split is not none %}
union all
{{ cdc_split_files_sql(split, cdc, after_batch_id) }}
{%- endif %}
{%- endmacro %}
