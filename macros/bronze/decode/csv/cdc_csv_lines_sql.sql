{# The lines of the files; if no value spans lines, each is a record. #}
{% macro cdc_csv_lines_sql(layout, view) -%}
lines as (
    select
        {{ cdc_file_columns_sql() | indent(8) }},
        raw._file_row as _cdc_row,
        raw.value as _cdc_content
    from {{ view }} as raw
    inner join files
        on
            raw._file_path = files.path
            and files.is_newest
            {%- if layout.is_split %}
            and (files.kind <> 'multi_table' or unix_millis(raw._file_modified_at) = unix_millis(files.modified_at))
            {%- endif %}
)
{%- endmacro %}
