{#
    One marker per overwritten file of which another version is in bronze, or in this batch: rows of versions before
    the marker's are superseded (record 28). The greatest modification time counts, whichever version came last.
#}
{% macro cdc_overwritten_sql(paths, bronze) -%}
rewritten as (
    select *
    from files
    where path in ({% for path in paths %}{{ adapter.string_literal(path) }}{{ ', ' if not loop.last }}{% endfor %})
),

held as (
    select
        file_key,
        modified_millis
    from rewritten
    {%- if bronze is not none %}
    union all
    select
        _cdc_source_file as file_key,
        {{ cdc_sequence_part('_cdc_sequence', 'modified_millis') }} as modified_millis
    from {{ bronze }}
    {%- endif %}
),

overwritten as (
    select
        file.file_key as _cdc_file_key,
        file.modified_at as _cdc_committed_at,
        file.generation as _cdc_generation,
        file.batch_id as _cdc_batch_id,
        file.file_position as _cdc_file_position,
        file.file_hash as _cdc_file_hash,
        newest as _cdc_modified_millis,
        file.ingested_at as _cdc_ingested_at,
        cast({{ cdc_marker_row() }} as bigint) as _cdc_row,
        cast(null as string) as _cdc_rule,
        cast(null as string) as _cdc_reason,
        cast(null as string) as _cdc_content
    from (
        select
            max_by(struct(rewritten.*), rewritten.modified_millis) as file,
            max(held.modified_millis) as newest
        from rewritten
        inner join held on rewritten.file_key = held.file_key
        group by rewritten.file_key
        having min(held.modified_millis) < max(held.modified_millis)
    ) as versions
)
{%- endmacro %}
