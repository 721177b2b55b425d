{% macro cdc_parquet_records_sql(cdc, raw, plan, file_columns, before_images=()) -%}
{%- set sequence = cdc.options.change_sequence_column or '' -%}
{%- set columns = plan + before_images -%}
{%- set unavailable_sql = 'cast(null as array<string>)' -%}
{%- if cdc.options.absent_columns == 'keep' -%}
    {%- set unavailable_sql = cdc_parquet_absent_sql(cdc, raw, plan) -%}
{%- endif -%}
records as (
    select
        {%- for name in file_columns %}
        files.{{ name }} as _cdc_{{ name }},
        {%- endfor %}
        raw._file_row as _cdc_row,
        {{ _cdc_control_sql(cdc, raw, 'Op' if cdc.options.operation_column != 'never' else '') }} as _cdc_op,
        {{ _cdc_control_sql(cdc, raw, cdc.options.timestamp_column or '') }} as _cdc_commit_text,
        {%- if sequence %}
        nullif(trim({{ _cdc_control_sql(cdc, raw, sequence) }}), '') as _cdc_change_sequence,
        {%- endif %}
        cast(null as string) as _cdc_malformed,
        {{ unavailable_sql | indent(8) }} as _cdc_unavailable_columns,
        {{ cdc_parquet_absent_sql(cdc, raw, plan, of_key=true) | indent(8) }} as _cdc_absent_keys,
        {%- if columns | selectattr('is_cast') | list %}
        {%- set parts = cdc_judged_columns(cdc, columns) %}
        {{ cdc_parquet_failed_casts_sql(cdc, raw, parts.of_key) | indent(8) }} as _cdc_failed_key_casts,
        {{ cdc_parquet_failed_casts_sql(cdc, raw, parts.others) | indent(8) }} as _cdc_failed_casts,
        {%- endif %}
        {%- for column in columns if column.raw_type is not none %}
        {%- set value = _parquet_value_sql(cdc, raw, column) %}
        {{ value }}{{ ' as ' ~ adapter.quote(column.name) if value != 'raw.' ~ adapter.quote(column.name) }},
        {%- endfor %}
        raw._file_schema as _cdc_file_schema,
        struct({{ _cdc_content_sql(raw) }}) as _cdc_content
    from {{ raw.view }} as raw
    inner join files on raw._file_path = files.path and files.is_newest
)
{%- endmacro %}


{# A column that DMS adds, as text: the one with the exact name of the metadata, else one that differs in case. #}
{% macro _cdc_control_sql(cdc, raw, name) -%}
{%- set values, others = [], [] -%}
{%- for column in raw.columns if column.get('file_name', column.name) | lower == name | lower -%}
    {%- set value = 'raw.' ~ adapter.quote(column.get('column', column.name)) -%}
    {%- set value = value if column.type == 'string' else 'cast(' ~ value ~ ' as string)' -%}
    {%- set is_exact = column.get('file_name', column.name) == name -%}
    {%- do (values if is_exact else others).append(value) -%}
{%- endfor -%}
{%- set values = values or (others if name != 'Op' else []) -%}
{%- if values | length < 2 -%}
{{ values[0] if values else 'cast(null as string)' }}
{%- else -%}
coalesce({{ values | join(', ') }})
{%- endif -%}
{%- endmacro %}

{#
    All columns of the files under the names that they have there. One that has several types in the batch stands there
    once for each; a row has a value in one of them, and its JSON leaves NULL out.
#}
{% macro _cdc_content_sql(raw) -%}
{%- for column in raw.columns -%}
    {%- set value = 'raw.' ~ adapter.quote(column.get('column', column.name)) -%}
    {%- set name = adapter.quote(column.get('file_name', column.name)) -%}
{{ value }}{{ ' as ' ~ name if value != 'raw.' ~ name }}{{ ', ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}


{#
    A column that was renamed may stand under both names, in different files or in one; one whose type is not the same in
    all files is cast file by file, from the type that it has there.
#}
{% macro _parquet_value_sql(cdc, raw, column) -%}
{%- set values = [] -%}
{%- for part in cdc_parquet_parts(cdc, raw, column) -%}
    {%- set is_cast = column.is_cast and part.raw_type != part.type -%}
    {%- do values.append(cdc_try_cast_sql(part.sql, part.raw_type, part.type) | trim if is_cast else part.sql) -%}
{%- endfor -%}
{{ values[0] if values | length == 1 else 'coalesce(' ~ values | join(', ') ~ ')' }}
{%- endmacro %}
