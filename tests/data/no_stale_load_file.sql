{#
    DMS writes the LOAD files of a load in the order of their numbers. One that is older than a file with a smaller
    number is a leftover of an earlier, longer load (docs/contracts.md section 7, case 41): its rows are in silver.
#}
{{ config(severity='warn') }}
with listing as (
    select
        *,
        row_number() over (partition by feed, path order by batch_id desc, modified_at desc) as age,
        regexp_replace(object_key, 'LOAD[0-9A-Fa-f]+[.].*$', '') as folder,
        cast(conv(regexp_extract(object_key, 'LOAD([0-9A-Fa-f]+)[.]', 1), 16, 10) as bigint) as load_number
    from {{ ref('raw_listing') }}
    where kind in ('load', 'vanished')
),

loads as (
    select
        *,
        max(modified_at) over (
            partition by feed, folder, generation order by load_number
            rows between unbounded preceding and 1 preceding
        ) as newest_before
    from listing
    where kind = 'load' and age = 1
)

select
    feed,
    source_schema,
    source_table,
    object_key,
    generation,
    modified_at,
    newest_before
from loads
where modified_at < newest_before
