{# The shape of records while nothing has arrived yet, or nothing but a truncate. #}
{% macro cdc_no_records_sql(plan) -%}
records as (
    select
        {%- for column in plan %}
        cast(null as {{ column.raw_type or column.type }}) as {{ adapter.quote(column.name) }},
        {%- endfor %}
        cast(null as array<string>) as _cdc_unavailable_columns,
        cast(null as string) as _cdc_op,
        cast(null as string) as _cdc_commit_text,
        cast(null as string) as _cdc_malformed,
        cast(null as string) as _cdc_content,
        cast(null as bigint) as _cdc_row,
        files.object_key as _cdc_object_key,
        files.kind as _cdc_kind,
        files.file_time as _cdc_file_time,
        files.modified_at as _cdc_modified_at,
        files.generation as _cdc_generation,
        files.batch_id as _cdc_batch_id,
        files.place as _cdc_place,
        files.object as _cdc_object,
        files.version as _cdc_version,
        files.ingested_at as _cdc_ingested_at
    from files
    where false
)
{%- endmacro %}
