{#
    A record begins on a line that does not begin inside a quoted value, which may hold line breaks. Each line is judged
    twice, as if it began outside of a value and as if it began inside. It ends the same both times (a fixed end), as it
    began, or the other way (a turn). Whether a line begins inside is the last fixed end before it and the number of
    turns since (docs/feeds/dms_format.md).
#}
{% macro cdc_csv_joined_lines_sql(delimiter) -%}
{%- set of_file = 'partition by _cdc_file_key, _cdc_modified_at order by _cdc_row rows between unbounded preceding' -%}
marked as (
    select
        *,
        {{ cdc_csv_continues_sql('_cdc_content', delimiter) }} as _cdc_opens,
        not contains(_cdc_content, '"')
            or {{ cdc_csv_continues_sql("concat('\"', _cdc_content)", delimiter) }} as _cdc_stays
    from lines
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

joined_lines as (
    select
        _cdc_file_key,
        _cdc_kind,
        _cdc_file_time,
        _cdc_modified_at,
        _cdc_generation,
        _cdc_batch_id,
        _cdc_file_position,
        _cdc_file_hash,
        _cdc_modified_millis,
        _cdc_ingested_at,
        _cdc_first_row as _cdc_row,
        array_join(
            transform(array_sort(collect_list(struct(_cdc_row, _cdc_content))), line -> line._cdc_content), '\n'
        ) as _cdc_content
    from numbered
    group by all
)
{%- endmacro %}
