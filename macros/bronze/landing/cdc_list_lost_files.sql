{#
    rejected_files has fewer rows of a table than bronze has recorded. The versions of its files that neither bronze nor
    rejected_files has get a batch of their own behind all others, and are judged again. They keep their time: the first
    version of a file shows after which load it was written.
#}
{% macro cdc_list_lost_files(cdc, bronze, after_batch_id) %}
    {% set listing, rejected = ref('raw_listing'), ref('rejected_files') %}
    {% do exceptions.warn(
        this ~ ': ' ~ rejected ~ ' has lost rows of its files: it was dropped or rolled back. What is'
        ~ ' neither in ' ~ bronze ~ ' nor rejected is read again'
        ~ ' (docs/runbook.md, "A table of etl_metadata is lost").'
    ) %}
    {% set batch_id = run_query('select max(batch_id) + 1 as batch_id from ' ~ listing).rows[0]['batch_id'] %}
    {% do run_query(_read_again_sql(cdc, bronze, listing, rejected, after_batch_id, batch_id)) %}
{% endmacro %}


{% macro _read_again_sql(cdc, bronze, listing, rejected, after_batch_id, batch_id) -%}
update {{ listing }} as _cdc_listing
set batch_id = {{ batch_id }}
where
    _cdc_listing.feed = {{ adapter.string_literal(cdc.feed) }}
    and _cdc_listing.source_schema = {{ adapter.string_literal(cdc.source_schema) }}
    and _cdc_listing.source_table = {{ adapter.string_literal(cdc.source_table) }}
    and _cdc_listing.kind in ('load', 'change')
    and _cdc_listing.batch_id <= {{ after_batch_id }}
    and not exists (
        select 1
        from {{ bronze }} as log
        where
            log._cdc_source_file = _cdc_listing.file_key
            and {{ cdc_sequence_part('log._cdc_sequence', 'modified_millis') }}
                = lpad(unix_millis(_cdc_listing.modified_at), 14, '0')
    )
    and not exists (
        select 1
        from {{ rejected }} as rejected
        where
            rejected.path = _cdc_listing.path
            and rejected.size = _cdc_listing.size
            and rejected.modified_at = _cdc_listing.modified_at
    )
{%- endmacro %}
