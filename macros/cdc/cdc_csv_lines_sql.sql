{#
    A record begins on a line before which the quotes of the file are balanced, so a quoted value may hold line breaks
    (docs/contracts.md sections 1.1 and 1.5). Where no line has an odd number of quotes, lines are records: nothing is
    sorted.
#}
{% macro cdc_csv_lines_sql(cdc, raw) -%}
{%- set file_columns -%}
_cdc_object_key, _cdc_kind, _cdc_file_time, _cdc_modified_at, _cdc_generation, _cdc_batch_id, _cdc_place, _cdc_object,
_cdc_version, _cdc_ingested_at
{%- endset -%}
{%- set from_sql -%}
from {{ raw.view }} as raw
    inner join files
        on
            raw._file_path = files.path
            and files.is_newest
            {%- if cdc.get('split') %}
            and (files.kind <> 'mixed' or unix_millis(raw._file_modified_at) = unix_millis(files.modified_at))
            {%- endif %}
{%- endset -%}
{%- if not raw.get('has_line_breaks', true) -%}
whole as (
    select
        {{ cdc_file_columns_sql() | indent(8) }},
        raw.value as _cdc_content
    {{ from_sql }}
)
{%- else -%}
marked as (
    select
        {{ cdc_file_columns_sql() | indent(8) }},
        raw.value,
        coalesce(sum(length(raw.value) - length(replace(raw.value, '"', ''))) over (
            partition by raw._file_path
            order by raw._file_row
            rows between unbounded preceding and 1 preceding
        ), 0) % 2 = 0 as _cdc_begins
    {{ from_sql }}
),

numbered as (
    select
        *,
        max(if(_cdc_begins, _cdc_row, null)) over (
            partition by _cdc_object_key
            order by _cdc_row
            rows between unbounded preceding and current row
        ) as _cdc_first_row
    from marked
),

whole as (
    select
        {{ file_columns }},
        _cdc_first_row as _cdc_row,
        array_join(transform(array_sort(collect_list(struct(_cdc_row, value))), line -> line.value), '\n') as _cdc_content
    from numbered
    group by {{ file_columns }}, _cdc_first_row
)
{%- endif -%}
{%- endmacro %}
