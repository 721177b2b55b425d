{#
    Lines to records to named text values. A record begins on a line before which the quotes of the file are
    balanced, so a quoted value may hold line breaks (docs/contracts.md sections 1.1 and 1.5).
#}
{% macro cdc_csv_records_sql(cdc, view, plan, before_images=[]) -%}
{%- set header = cdc.options.header -%}
marked as (
    select
        {{ cdc_file_columns_sql() | indent(8) }},
        raw.value,
        coalesce(sum(length(raw.value) - length(replace(raw.value, '"', ''))) over (
            partition by raw._file_path
            order by raw._file_row
            rows between unbounded preceding and 1 preceding
        ), 0) % 2 = 0 as _cdc_begins
    from {{ view }} as raw
    inner join files
        on
            raw._file_path = files.path
            and files.is_newest
            {%- if cdc.get('split') %}
            and (files.kind <> 'mixed' or unix_millis(raw._file_modified_at) = unix_millis(files.modified_at))
            {%- endif %}
),

numbered as (
    select
        *,
        max(if(_cdc_begins, _cdc_row, null)) over (
            partition by _cdc_path
            order by _cdc_row
            rows between unbounded preceding and current row
        ) as _cdc_first_row
    from marked
),

whole as (
    select
        _cdc_path, _cdc_kind, _cdc_object_key, _cdc_file_time, _cdc_modified_at, _cdc_generation, _cdc_batch_id,
        _cdc_first_row as _cdc_row,
        array_join(transform(array_sort(collect_list(struct(_cdc_row, value))), line -> line.value), '\n') as _cdc_content
    from numbered
    group by _cdc_path, _cdc_kind, _cdc_object_key, _cdc_file_time, _cdc_modified_at, _cdc_generation, _cdc_batch_id, _cdc_first_row
),

split as (
    select
        *,
        {{ cdc_csv_fields_sql('_cdc_content', cdc.options.delimiter) | indent(8) }} as _cdc_fields
    from whole
),

{{ cdc_csv_layout_sql(cdc) }},

records as (
    select
        *,
        {{ cdc_csv_unavailable_sql(cdc, plan) | indent(8) }} as _cdc_unavailable_columns,
        {%- for column in plan + before_images if column.raw_type is not none %}
        {{ cdc_csv_value_sql(cdc, column.name) }} as {{ cdc_quote(column.name) }},
        {%- endfor %}
        {%- if cdc.options.get('change_sequence_column') %}
        nullif(trim({{ cdc_csv_value_sql(cdc, cdc.options.change_sequence_column) }}), '') as _cdc_change_sequence,
        {%- endif %}
        {{ cdc_csv_control_sql(cdc, 'operation') }} as _cdc_op,
        {{ cdc_csv_control_sql(cdc, 'timestamp') }} as _cdc_commit_text
    from placed
    {%- if header %}
    where _cdc_row > 0
    {%- endif %}
)
{%- endmacro %}
