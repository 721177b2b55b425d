{% macro cdc_parquet_records_sql(cdc, raw, plan, before_images=[]) -%}
{%- set names = raw.columns | map(attribute='name') | list -%}
{%- set controls = cdc_control_columns(cdc) | select('in', names | map('lower') | list) | list -%}
{%- set committed_at = cdc.options.get('timestamp_column', '') -%}
{%- set sequence = cdc.options.get('change_sequence_column') or '' -%}
{%- set has_sequence = sequence | lower in names | map('lower') -%}
records as (
    select
        {{ cdc_file_columns_sql() | indent(8) }},
        {{ 'raw.`Op`' if 'op' in controls else 'cast(null as string)' }} as _cdc_op,
        {{ 'raw.' ~ cdc_quote(committed_at) if committed_at | lower in controls else 'cast(null as string)' }} as _cdc_commit_text,
        {%- if sequence %}
        nullif(trim(cast({{ 'raw.' ~ cdc_quote(sequence) if has_sequence else 'null' }} as string)), '') as _cdc_change_sequence,
        {%- endif %}
        cast(null as string) as _cdc_malformed,
        {{ cdc_parquet_unavailable_sql(cdc, raw, plan) | indent(8) }} as _cdc_unavailable_columns,
        {%- for column in plan + before_images if column.raw_type is not none %}
        {%- set value = cdc_parquet_value_sql(cdc, raw, column) %}
        {{ value }}{{ ' as ' ~ cdc_quote(column.name) if value != 'raw.' ~ cdc_quote(column.name) }},
        {%- endfor %}
        raw._file_schema as _cdc_file_schema,
        struct({% for name in names %}raw.{{ cdc_quote(name) }}{{ ', ' if not loop.last }}{% endfor %}) as _cdc_content
    from {{ raw.view }} as raw
    inner join files on raw._file_path = files.path and files.is_newest
)
{%- endmacro %}
