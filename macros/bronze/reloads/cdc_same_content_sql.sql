{#
    Which load files give the rows that bronze holds of an earlier version: as many, with the same values at the same
    positions and of the same commit times, if a column has these. A hash passes over nulls, so each value is hashed
    behind its position. A row that bronze has twice, as it was read twice, counts once.
#}
{% macro cdc_same_content_sql(rows_sql, bronze, fresh_values, held_values, earlier, has_timestamps) -%}
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
        count(*) as rows,
        bit_xor(digest) as digest
    from (
        {{ _digests_sql(fresh_values, has_timestamps) | indent(8) }}
        from (
            {{ rows_sql | indent(12) }}
        ) as judged
    ) as hashed
    group by _cdc_source_file
),

held as (
    select
        _cdc_source_file,
        count(*) as rows,
        bit_xor(digest) as digest
    from (
        {{ _digests_sql(held_values, has_timestamps) | indent(8) }}
        from {{ bronze }} as bronze
        left semi join versions
            on
                _cdc_source_file = file_key
                and cast({{ cdc_sequence_part('_cdc_sequence', 'modified_millis') }} as bigint) = millis
        where not {{ cdc_is_released_sql('bronze') }}
    ) as hashed
    group by _cdc_source_file
)

select versions.file_key
from versions
left join fresh on versions.file_key = fresh._cdc_source_file
left join held on versions.file_key = held._cdc_source_file
where fresh.rows <=> held.rows and fresh.digest <=> held.digest
{%- endmacro %}


{% macro _digests_sql(values, has_timestamps) -%}
select distinct
    _cdc_source_file,
    xxhash64(
        _cdc_file_row, _cdc_quarantine_content{{ ', _cdc_committed_at' if has_timestamps }}
        {%- for value in values %},
        {{ loop.index }}, {{ value }}
        {%- endfor %}
    ) as digest
{%- endmacro %}
