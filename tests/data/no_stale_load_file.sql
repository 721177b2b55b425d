{#
    DMS writes the LOAD files of a load in the order of their numbers. One that is older than a file with a smaller
    number is a leftover of an earlier, longer load (tests/e2e/CASES.md, case 41): its rows are in silver, and a
    reload that left it as it was is not complete. A file that only came again is as old as its content.
#}
{{ config(severity='warn') }}
{%- if not cdc_is_test() or cdc_data_tests().has_several_loads(ref('raw_listing')) %}
with listing as (
    select
        listing.*,
        row_number() over (
            partition by listing.feed, listing.file_key order by listing.batch_id desc, listing.modified_at desc
        ) as age,
        regexp_replace(listing.file_key, 'LOAD[0-9A-Fa-f]+[.].*$', '') as folder,
        cast(conv(regexp_extract(listing.file_key, 'LOAD([0-9A-Fa-f]+)[.]', 1), 16, 10) as bigint) as load_number
    from {{ adapter.scan_sql(ref('raw_listing')) if cdc_is_test() else ref('raw_listing') }} as listing
    left anti join {{ adapter.scan_sql(ref('rejected_files')) if cdc_is_test() else ref('rejected_files') }} as rejected
        on
            listing.kind = 'load'
            and rejected.rule = 'redelivered'
            and listing.path = rejected.path
            and listing.size = rejected.size
            and listing.modified_at = rejected.modified_at
    where listing.kind in ('load', 'vanished')
),

loads as (
    select
        *,
        max(modified_at) over (
            partition by feed, folder order by load_number
            rows between unbounded preceding and 1 preceding
        ) as newest_before
    from listing
    where kind = 'load' and age = 1
)

select
    feed,
    source_schema,
    source_table,
    file_key,
    modified_at,
    newest_before
from loads
where modified_at < newest_before and {{ cdc_is_of_a_feed_sql() }}
order by modified_at desc
{%- endif %}
