{# The shape of records while nothing has arrived yet. #}
{% macro cdc_no_records_sql(plan) -%}
records as (
    select
        {%- for column in plan if column.raw_type is not none %}
        cast(null as {{ column.raw_type }}) as {{ cdc_quote(column.name) }},
        {%- endfor %}
        cast(null as string) as _op,
        cast(null as string) as _committed_at,
        cast(null as string) as _malformed,
        cast(null as string) as _content,
        cast(null as bigint) as _row,
        files.path as _path,
        files.kind as _kind,
        files.object_key as _object_key,
        files.file_time as _file_time,
        files.modified_at as _modified_at,
        files.generation as _generation,
        files.batch_id as _batch_id
    from files
    where false
)
{%- endmacro %}
