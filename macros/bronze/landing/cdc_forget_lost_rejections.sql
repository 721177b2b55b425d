{#
    If rejected_files has fewer rows of a table than bronze has recorded, it was dropped or rolled back. A LOAD file that only
    came again would then count as a reload, which empties the table. The listing forgets the versions that neither bronze
    nor rejected_files has: the next run lists and judges those that are there again.
#}
{% macro cdc_forget_lost_rejections(cdc, bronze, after_batch_id) %}
    {% set recorded = adapter.newest_summary(bronze, 'cdc.batch-id').get('cdc.rejected') if bronze is not none %}
    {% set count = cdc_rejected_count(cdc, ref('rejected_files')) if recorded else none %}
    {% if recorded and count < recorded | int %}
        {% do exceptions.warn(
            this ~ ': ' ~ ref('rejected_files') ~ ' has lost rows of its files: it was dropped or rolled back. What is'
            ~ ' neither in ' ~ bronze ~ ' nor rejected is listed again by the next run, if it is still there'
            ~ ' (docs/runbook.md, "A table of etl_metadata is lost").'
        ) %}
        {% do run_query(_forget_sql(cdc, bronze, ref('raw_listing'), ref('rejected_files'), after_batch_id)) %}
    {% endif %}
    {% do return(count or none) %}
{% endmacro %}


{% macro _forget_sql(cdc, bronze, listing, rejected, after_batch_id) -%}
delete from {{ listing }} as listing
where
    listing.feed = {{ adapter.string_literal(cdc.feed) }}
    and listing.source_schema = {{ adapter.string_literal(cdc.source_schema) }}
    and listing.source_table = {{ adapter.string_literal(cdc.source_table) }}
    and listing.kind in ('load', 'change')
    and listing.batch_id <= {{ after_batch_id }}
    and not exists (
        select 1
        from {{ bronze }} as log
        where
            log._cdc_source_file = listing.file_key
            and {{ cdc_sequence_part('log._cdc_sequence', 'modified_millis') }}
                = lpad(unix_millis(listing.modified_at), 14, '0')
    )
    and not exists (
        select 1
        from {{ rejected }} as rejected
        where
            rejected.path = listing.path
            and rejected.size = listing.size
            and rejected.modified_at = listing.modified_at
    )
{%- endmacro %}
