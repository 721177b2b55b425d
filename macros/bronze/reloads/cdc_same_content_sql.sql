{#
    Which load files give the rows that bronze holds of an earlier version: at the same positions, with the same values
    and commit times, if a column has these, or in quarantine with the same content, whatever its row would be now. Of
    a row that was released both count. A hash passes over nulls, so each value is hashed behind its position.
#}
{% macro cdc_same_content_sql(rows_sql, bronze, fresh_values, held_values, earlier, cdc) -%}
with versions as (
    select *
    from values
        {%- for file in earlier %}
        ({{ adapter.string_literal(file.file_key) }}, {{ file.earlier_millis }}){{ ',' if not loop.last }}
        {%- endfor %}
        as versions (file_key, millis)
),

fresh as (
    select
        _cdc_source_file,
        _cdc_file_row,
        array(
            {{ _digest_sql(fresh_values, cdc) | indent(12) }},
            xxhash64(_cdc_quarantine_content)
            {%- if cdc.format == 'parquet' %},
            {#- An older version of the project has written contents without the types of their columns. #}
            xxhash64(regexp_replace(_cdc_quarantine_content, ',?"":[{].*[}][}]$', '}'))
            {%- endif %}
        ) as digests
    from (
        {{ rows_sql | indent(8) }}
    ) as judged
),

held as (
    select
        _cdc_source_file,
        _cdc_file_row,
        collect_set({{ _digest_sql(held_values, cdc) | indent(8) }}) as digests
    from {{ bronze }} as bronze
    left semi join versions
        on
            bronze._cdc_source_file = versions.file_key
            and cast({{ cdc_sequence_part('bronze._cdc_sequence', 'modified_millis') }} as bigint) = versions.millis
    group by _cdc_source_file, _cdc_file_row
),

different as (
    select coalesce(fresh._cdc_source_file, held._cdc_source_file) as file_key
    from fresh
    full outer join held
        on fresh._cdc_source_file = held._cdc_source_file and fresh._cdc_file_row = held._cdc_file_row
    where not coalesce(arrays_overlap(fresh.digests, held.digests), false)
)

select versions.file_key
from versions
left anti join different on versions.file_key = different.file_key
{%- endmacro %}


{# The content is the whole row as it came, whatever types the table has by now. #}
{% macro _digest_sql(values, cdc) -%}
if(
    _cdc_quarantine_rule is null,
    xxhash64(
        _cdc_file_row{{ ', _cdc_committed_at' if cdc.options.timestamp_column }}
        {%- for value in values %},
        {{ loop.index }}, {{ value }}
        {%- endfor %}
    ),
    xxhash64(_cdc_quarantine_content)
)
{%- endmacro %}
