{#
    Reset points of histories. A truncate ends the versions of all keys, at its commit time. A complete reload ends the
    versions of the keys that its load lacks, at the first commit time of the load; it sorts before all changes of its
    generation.
#}
{% macro cdc_history_ends_sql(cdc, rows_sql, keys) -%}
bronze as (
    {{ rows_sql | indent(4) }}
),

reset_points as (
    select
        {{ cdc_reset_point_sql() | indent(8) }} as _cdc_sequence,
        _cdc_committed_at,
        cast(null as int) as _cdc_generation
    from bronze
    where _cdc_operation = 'T'
    union all
    select
        min({{ cdc_reset_point_sql() | indent(8) }}) as _cdc_sequence,
        coalesce(
            min(_cdc_committed_at) filter (where _cdc_operation = 'L'), min(_cdc_committed_at)
        ) as _cdc_committed_at,
        _cdc_generation
    from bronze
    where _cdc_generation > 1
    group by _cdc_generation
    having bool_or(_cdc_operation = 'R')
),

keys as (
    select distinct {{ get_quoted_csv(cdc.primary_key) }}
    from {{ keys }}
),

meetings as (
    select *
    from keys
    cross join reset_points
),

ends as (
    select meetings.*
    from meetings
    left anti join changes
        on {{ cdc_same_key_sql(cdc, 'meetings', 'changes') }}
        and changes._cdc_operation = 'L'
        and meetings._cdc_generation = changes._cdc_generation
)
{%- endmacro %}
