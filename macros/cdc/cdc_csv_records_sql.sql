{#
    Lines to records to named text values. A record begins on a line before which the quotes of the file are balanced, so a
    quoted value may hold line breaks (docs/contracts.md sections 1.1 and 1.5).
#}
{% macro cdc_csv_records_sql(cdc, view, plan) -%}
{%- set header = cdc.options.header -%}
marked as (
    select
        {{ cdc_file_columns_sql() | indent(8) }},
        raw.value,
        coalesce(sum(length(raw.value) - length(replace(raw.value, '"', ''))) over (
            partition by raw._file_path
            order by raw._file_row
            rows between unbounded preceding and 1 preceding
        ), 0) % 2 = 0 as _begins
    from {{ view }} as raw
    inner join files on raw._file_path = files.path and files.is_newest
),

numbered as (
    select
        *,
        max(if(_begins, _row, null)) over (
            partition by _path
            order by _row
            rows between unbounded preceding and current row
        ) as _first_row
    from marked
),

whole as (
    select
        _path, _kind, _object_key, _file_time, _modified_at, _generation, _batch_id,
        _first_row as _row,
        array_join(transform(array_sort(collect_list(struct(_row, value))), line -> line.value), '\n') as _content
    from numbered
    group by _path, _kind, _object_key, _file_time, _modified_at, _generation, _batch_id, _first_row
),

split as (
    select
        *,
        {{ cdc_csv_fields_sql('_content', cdc.options.delimiter) | indent(8) }} as _fields
    from whole
),

{{ cdc_csv_layout_sql(cdc) }},

records as (
    select
        *,
        {%- for column in plan if column.raw_type is not none %}
        {{ cdc_csv_value_sql(cdc, column.name) }} as {{ cdc_quote(column.name) }},
        {%- endfor %}
        {{ cdc_csv_control_sql(cdc, 'operation') }} as _op,
        {{ cdc_csv_control_sql(cdc, 'timestamp') }} as _committed_at
    from placed
    {%- if header %}
    where _row > 0
    {%- endif %}
)
{%- endmacro %}
