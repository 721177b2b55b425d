{#
    A record begins on a line that does not begin inside a quoted value, which may hold line breaks. Where no value spans
    lines, lines are records: nothing is sorted. Else each line is judged twice, as if it began outside of a value and as
    if it began inside. It ends the same both times (a fixed end), as it began, or the other way (a turn). Whether a line
    begins inside is the last fixed end before it and the number of turns since (docs/feeds/dms_format.md).
#}
{% macro cdc_csv_lines_sql(cdc, raw, file_columns) -%}
{%- set from_sql -%}
from {{ raw.view }} as raw
    inner join files
        on
            raw._file_path = files.path
            and files.is_newest
            {%- if cdc.split %}
            and (files.kind <> 'multi_table' or unix_millis(raw._file_modified_at) = unix_millis(files.modified_at))
            {%- endif %}
{%- endset -%}
{%- if not raw.has_line_breaks | default(true) -%}
whole as (
    select
        {%- for name in file_columns %}
        files.{{ name }} as _cdc_{{ name }},
        {%- endfor %}
        raw._file_row as _cdc_row,
        raw.value as _cdc_content
    {{ from_sql }}
)
{%- else -%}
{%- set of_file = 'partition by _cdc_file_key, _cdc_modified_at order by _cdc_row rows between unbounded preceding' -%}
marked as (
    select
        {%- for name in file_columns %}
        files.{{ name }} as _cdc_{{ name }},
        {%- endfor %}
        raw._file_row as _cdc_row,
        raw.value,
        {{ cdc_csv_continues_sql('raw.value', cdc.options.delimiter) }} as _cdc_opens,
        not contains(raw.value, '"') or {{ cdc_csv_continues_sql("concat('\"', raw.value)", cdc.options.delimiter) }} as _cdc_stays
    {{ from_sql }}
),

turned as (
    select
        *,
        count_if(_cdc_opens and not _cdc_stays) over ({{ of_file }} and current row) as _cdc_turns
    from marked
),

begun as (
    select
        *,
        (
            _cdc_turns - int(_cdc_opens and not _cdc_stays) + coalesce(
                last_value(if(_cdc_opens = _cdc_stays, _cdc_turns + int(_cdc_opens), null)) ignore nulls
                    over ({{ of_file }} and 1 preceding),
                0
            )
        ) % 2 = 0 as _cdc_begins
    from turned
),

numbered as (
    select
        *,
        max(if(_cdc_begins, _cdc_row, null)) over ({{ of_file }} and current row) as _cdc_first_row
    from begun
),

whole as (
    select
        {%- for name in file_columns %}
        _cdc_{{ name }},
        {%- endfor %}
        _cdc_first_row as _cdc_row,
        array_join(transform(array_sort(collect_list(struct(_cdc_row, value))), line -> line.value), '\n') as _cdc_content
    from numbered
    group by {% for name in file_columns %}_cdc_{{ name }}, {% endfor %}_cdc_first_row
)
{%- endif -%}
{%- endmacro %}
