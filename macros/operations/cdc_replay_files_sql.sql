{# The files of quarantined rows as cdc_new_files_sql gives them: the listing has the parts of their source position. #}
{% macro cdc_replay_files_sql(cdc, bronze, listing, batch_id) -%}
select
    bad._cdc_source_file as path,
    listing.size,
    listing.modified_at,
    listing.kind,
    listing.file_key,
    listing.file_time,
    bad._cdc_generation as generation,
    cast({{ batch_id }} as bigint) as batch_id,
    true as is_newest
from {{ listing }} as listing
inner join (
    select
        _cdc_source_file,
        max_by(_cdc_generation, _cdc_sequence) as _cdc_generation,
        max(cast({{ cdc_sequence_part('_cdc_sequence', 'modified_millis') }} as bigint)) as modified_millis
    from {{ bronze }}
    where _cdc_quarantine_rule is not null
    group by _cdc_source_file
) as bad on listing.file_key = bad._cdc_source_file and unix_millis(listing.modified_at) = bad.modified_millis
where
    listing.feed = {{ adapter.string_literal(cdc.feed) }}
    and listing.kind in ('load', 'change', 'multi_table')
group by all
{%- endmacro %}
