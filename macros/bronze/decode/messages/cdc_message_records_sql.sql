{#
    Messages were parsed when they were split: every value is text as a cast to its type reads it, binary base64.
    Names of columns are compared without regard to case, as everywhere.
#}
{% macro cdc_message_records_sql(cdc, view, plan, loads_after=none) -%}
{%- set offsets = 'python_udfs.connectors.topic_offsets.' -%}
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
        {{ adapter.call_function(offsets ~ 'offset_sql', {
            'connector': cdc.connector, 'file_key': 'raw.file_key', 'file_row': 'raw.file_row'
        }) }} as _cdc_offset,
        {{ adapter.call_function(offsets ~ 'partition_sql', {'file_key': 'raw.file_key'}) }} as _cdc_partition,
        concat_ws('.', if({{ _precedes_changes_sql(loads_after) }}, '0', '1'), raw.position) as _cdc_position,
        raw.operation as _cdc_op,
        cast(raw.committed_at as string) as _cdc_commit_text,
        {{ _cdc_message_malformed_sql(cdc, plan) | indent(8) }} as _cdc_malformed,
        map_keys(raw.image) as _cdc_header,
        raw.before as _cdc_before,
        {{ _message_unavailable_sql(cdc, plan) | indent(8) }} as _cdc_unavailable_columns,
        {{ cdc_message_absent_keys_sql(cdc, plan) | indent(8) }} as _cdc_absent_keys,
        {%- for column in plan if column.raw_type is not none %}
        {{ cdc_message_value_sql(cdc, column) }} as {{ adapter.quote(column.name) }},
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
and not (left(raw.position, 20) > repeat('0', 20) and left(raw.position, 40) > {{ adapter.string_literal(loads_after) }})
{%- endif %}
{%- endmacro %}


{#
    A value without a name has no column. A column may have been listed as binary after its messages were split. A delete
    needs no more than its key.
#}
{% macro _cdc_message_malformed_sql(cdc, plan) -%}
coalesce(
    raw.malformed,
    case
        when raw.operation <> 'D' and raw.image[''] is not null
            then concat("a column without a name has the value '", left(raw.image[''], 100), "', expected a name")
    end
    {%- for column in plan if column.raw_type == 'binary' %},
    case
        when
            {{ "raw.operation <> 'D' and " if column.name | lower not in cdc.primary_key | map('lower') }}
            {{- cdc_message_value_sql(cdc, column, as_text=true) }} is not null
            and {{ cdc_message_value_sql(cdc, column) }} is null
            then {{ adapter.string_literal('column ' ~ column.name ~ ': received a text that is not base64') }}
    end
    {%- endfor %}
)
{%- endmacro %}


{#
    The columns that the message names as unavailable and, if the feed keeps absent columns, those that its image lacks. A
    message without an image, such as a truncate, lacks nothing.
#}
{% macro _message_unavailable_sql(cdc, plan) -%}
{%- set keys = cdc.primary_key | map('lower') | list -%}
{%- set keeps_absent = cdc.options.absent_columns == 'keep' -%}
{%- set conditions = {} -%}
{%- for column in plan if column.name | lower not in keys -%}
    {%- set alternatives = [] -%}
    {%- for name in cdc_names_in_files(cdc, column.name) -%}
        {%- set literal = adapter.string_literal(cdc_file_name(name)) -%}
        {%- do alternatives.append('array_contains(raw.unavailable, ' ~ literal ~ ')') -%}
    {%- endfor -%}
    {%- if keeps_absent -%}
        {%- set name = cdc_file_name(column.name) | lower -%}
        {%- do alternatives.append('not map_contains_key(raw.image, ' ~ adapter.string_literal(name) ~ ')') -%}
    {%- endif -%}
    {%- do conditions.update({column.name: alternatives | join(' or ')}) -%}
{%- endfor -%}
{{ cdc_names_where_sql(conditions) }}
{%- endmacro %}
