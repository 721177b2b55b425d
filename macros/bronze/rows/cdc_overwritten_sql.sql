{#
    One marker per overwritten file of which another version is in bronze, or in this batch: rows of versions before
    the marker's are void (record 28). The greatest version counts, whichever came last.
#}
{% macro cdc_overwritten_sql(paths, bronze) -%}
{%- set in_paths -%}
path in ({% for path in paths %}{{ adapter.string_literal(path) }}{{ ', ' if not loop.last }}{% endfor %})
{%- endset -%}
held as (
    select
        object,
        version
    from files
    where {{ in_paths }}
    {%- if bronze is not none %}
    union all
    select
        {{ cdc_file_hash_sql('_cdc_sequence') }} as object,
        {{ cdc_modified_at_sql('_cdc_sequence') }} as version
    from {{ bronze }}
    {%- endif %}
),

overwritten as (
    select
        file.object_key as _cdc_object_key,
        file.modified_at as _cdc_committed_at,
        file.generation as _cdc_generation,
        file.batch_id as _cdc_batch_id,
        file.place as _cdc_place,
        file.object as _cdc_object,
        newest as _cdc_version,
        file.ingested_at as _cdc_ingested_at,
        cast({{ cdc_marker_row() }} as bigint) as _cdc_row
    from (
        select
            max_by(struct(files.*), files.version) as file,
            max(held.version) as newest
        from files
        inner join held on files.object = held.object
        where {{ in_paths }}
        group by files.object
        having min(held.version) < max(held.version)
    ) as objects
)
{%- endmacro %}
