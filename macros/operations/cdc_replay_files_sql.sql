{#
    The versions of files that have quarantined rows, as cdc_new_files_sql gives files: the listing has the parts of
    their source position. Two loads of one name are two versions; `path` separates their rows, as in the views of these
    rows.
#}
{% macro cdc_replay_files_sql(cdc, bronze, listing, batch_id) -%}
with bad as (
    select
        _cdc_source_file,
        cast({{ cdc_sequence_part('_cdc_sequence', 'modified_millis') }} as bigint) as modified_millis,
        max(_cdc_generation) as generation
    from {{ bronze }}
    where _cdc_quarantine_rule is not null
    group by all
)

select
    {{ cdc_replay_path_sql('bad._cdc_source_file', 'bad.modified_millis') }} as path,
    listing.size,
    listing.modified_at,
    listing.kind,
    listing.file_key,
    listing.file_time,
    bad.generation,
    cast({{ batch_id }} as bigint) as batch_id,
    true as is_newest
from {{ listing }} as listing
inner join bad on listing.file_key = bad._cdc_source_file and unix_millis(listing.modified_at) = bad.modified_millis
where
    listing.feed = {{ adapter.string_literal(cdc.feed) }}
    and listing.kind in ('load', 'change', 'multi_table')
group by all
{%- endmacro %}
