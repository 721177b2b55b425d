{#
    One row per table of the listing. Batches: its newest one, its newest one before the newest of all tables, its
    newest one with a file whose source position another file has. Facts: whether a load file came again, whether a
    file vanished, whether there are several load files. And the number of files in the newest batch of all tables.
#}
{% macro cdc_listed_tables_sql(listing, newest=none) -%}
{%- set files_sql -%}
select
    *,
    {% if newest -%}
    {#- A number would be part of the code that Spark generates, and be compiled again for each batch. -#}
    cast(batch_id as string) = '{{ newest }}' as is_of_newest,
    {%- else -%}
    batch_id = (select max(newest.batch_id) from {{ listing }} as newest) as is_of_newest,
    {%- endif %}
    if(kind = 'load', file_key, null) as load_key
from {{ adapter.scan_sql(listing) }}
where kind in ('load', 'change', 'truncate', 'vanished')
{%- endset -%}
with files as (
    {{ cdc_file_position_sql(files_sql) | indent(4) }}
),

positions as (
    select
        feed,
        source_schema,
        source_table,
        kind,
        max(batch_id) filter (where kind <> 'vanished') as batch_id,
        max(batch_id) filter (where kind <> 'vanished' and not is_of_newest) as earlier_batch_id,
        count_if(kind <> 'vanished' and is_of_newest) as files,
        kind = 'change' and min(file_key) <> max(file_key) as is_shared,
        kind = 'load' and count(*) > 1 as is_reloaded
    from files
    group by feed, source_schema, source_table, kind, load_key, file_position
)

select
    feed,
    source_schema,
    source_table,
    max(batch_id) as batch_id,
    max(earlier_batch_id) as earlier_batch_id,
    greatest(
        max(batch_id) filter (where is_shared),
        if(count_if(kind = 'load') > 1, max(batch_id) filter (where kind = 'load'), null)
    ) as shared_batch_id,
    bool_or(is_reloaded) as is_reloaded,
    bool_or(kind = 'vanished') as has_gone,
    count_if(kind = 'load') > 1 as has_loads,
    sum(sum(files)) over () as file_count
from positions
group by feed, source_schema, source_table
{%- endmacro %}
