{#
    Messages were parsed when they were split: every value is text as a cast to its type reads it, binary base64.
    Names of columns are compared without regard to case, as everywhere.
#}
{% macro cdc_message_records_sql(layout, view) -%}
records as (
    select
        raw.file_key as _cdc_file_key,
        raw.kind as _cdc_kind,
        raw.file_time as _cdc_file_time,
        raw.modified_at as _cdc_modified_at,
        raw.generation as _cdc_generation,
        raw.batch_id as _cdc_batch_id,
        raw.file_hash as _cdc_file_hash,
        raw.modified_millis as _cdc_modified_millis,
        raw.ingested_at as _cdc_ingested_at,
        raw.file_row as _cdc_row,
        {{ layout.offset }} as _cdc_offset,
        {{ layout.partition }} as _cdc_partition,
        concat_ws('.', if({{ _precedes_changes_sql(layout.loads_after) }}, '0', '1'), raw.position) as _cdc_position,
        raw.operation as _cdc_op,
        cast(raw.committed_at as string) as _cdc_commit_text,
        {{ _malformed_sql(layout) | indent(8) }} as _cdc_malformed,
        map_keys(raw.image) as _cdc_header,
        raw.before as _cdc_before,
        {{ cdc_names_where_sql(layout.unavailable) | indent(8) }} as _cdc_unavailable_columns,
        {{ cdc_names_where_sql(layout.absent_keys) | indent(8) }} as _cdc_absent_keys,
        {%- for value in layout.values %}
        {{ value.sql }} as {{ adapter.quote(value.name) }},
        {%- endfor %}
        raw.content as _cdc_content
    from (
        {{ cdc_file_position_sql('select *\nfrom ' ~ view) | indent(8) }}
    ) as raw
)
{%- endmacro %}


{#
    A row of a snapshot precedes all changes; one of a second snapshot is ordered by its own position (record 64). The
    position has three numbers, and without the first one it cannot be compared.
#}
{% macro _precedes_changes_sql(loads_after) -%}
raw.kind = 'load'
{%- if loads_after is not none %}
and not (
    left(raw.position, 20) > repeat('0', 20)
    and left(raw.position, 40) > {{ adapter.string_literal(loads_after) }}
)
{%- endif %}
{%- endmacro %}


{#
    A value without a name has no column. A column may have been listed as binary after its messages were split. A
    delete needs no more than its key.
#}
{% macro _malformed_sql(layout) -%}
coalesce(
    raw.malformed,
    case
        when raw.operation <> 'D' and raw.image[''] is not null
            then concat("a column without a name has the value '", left(raw.image[''], 100), "', expected a name")
    end
    {%- for column in layout.binary %},
    case
        when
            {{ "raw.operation <> 'D' and " if not column.is_key }}{{ column.text }} is not null
            and {{ column.value }} is null
            then {{ adapter.string_literal('column ' ~ column.name ~ ': received a text that is not base64') }}
    end
    {%- endfor %}
)
{%- endmacro %}
