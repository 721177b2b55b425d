{#
    All that decides one key: its changes, changes that took another key, truncates, and the completion of each reload,
    which sorts before the reload's own rows.
#}
{% macro cdc_explain_changes_sql(cdc, bronze, names, key, types, has_old_key) -%}
with changes as (
    select
        case
            when _cdc_operation in ('R', 'X') then null
            when _cdc_operation = 'T' then 'truncate'
            when {{ cdc_explain_key_sql(cdc, key, types) }} then 'change'
            {%- if has_old_key %}
            when
                {{ cdc_explain_key_sql(cdc, key, types, is_old=true) }}
                and _cdc_quarantine_rule is null
                then 'key change'
            {%- endif %}
        end as role,
        _cdc_operation as operation,
        date_format(_cdc_committed_at, 'yyyy-MM-dd HH:mm:ss.SSSSSS') as committed_at,
        _cdc_sequence as sequence,
        {{ cdc_sequence_part('_cdc_sequence', 'source_position') }} as source_position,
        {{ cdc_sequence_part('_cdc_sequence', 'through_row') }} as row_position,
        string(_cdc_generation) as generation,
        _cdc_source_file as source_file,
        string(_cdc_file_row) as file_row,
        string(_cdc_batch_id) as batch_id,
        if({{ cdc_is_superseded_sql('_cdc_log', bronze) | indent(8) }}, 'superseded', _cdc_quarantine_rule) as rule,
        _cdc_quarantine_reason as reason,
        {{ 'to_json(_cdc_unavailable_columns)' if has_old_key else 'string(null)' }} as unavailable,
        {{ 'to_json(_cdc_old_key)' if has_old_key else 'string(null)' }} as old_key,
        {{ cdc_explain_image_sql(names) | indent(8) }} as image
    from {{ bronze }} as _cdc_log
),

reloads as (
    select
        'reload' as role,
        'reload' as operation,
        date_format(min(_cdc_committed_at), 'yyyy-MM-dd HH:mm:ss.SSSSSS') as committed_at,
        min({{ cdc_reset_point_sql() | indent(8) }}) as sequence,
        min({{ cdc_reset_point_sql() | indent(8) }}) as source_position,
        string(null) as row_position,
        string(_cdc_generation) as generation,
        min_by(_cdc_source_file, _cdc_sequence) filter (where _cdc_operation <> 'R') as source_file,
        string(min_by(_cdc_file_row, _cdc_sequence) filter (where _cdc_operation <> 'R')) as file_row,
        string(min(_cdc_batch_id)) as batch_id,
        string(null) as rule,
        string(null) as reason,
        string(null) as unavailable,
        string(null) as old_key,
        string(null) as image
    from {{ bronze }} as _cdc_log
    where
        _cdc_generation > 1
        and _cdc_operation not in ('L', 'X')
        and _cdc_quarantine_rule is null
        and not {{ cdc_is_superseded_sql('_cdc_log', bronze) | indent(8) }}
    group by _cdc_generation
    having bool_or(_cdc_operation = 'R')
)

select *
from changes
where role is not null
union all
select *
from reloads
order by {{ cdc_row_order_sql('sequence', 'bigint(batch_id)') }}
{%- endmacro %}
