{#
    All that happened to each key in one array, in its order, once. A truncate or a complete reload is put between the
    changes of every key that it ends. Of a step only the new changes, or the whole log of keys with late ones.
#}
{% macro cdc_history_lives_sql(comparison) -%}
{%- set cdc = comparison.cdc -%}
bronze as (
    {{ comparison.log_sql | indent(4) }}
),

log as (
    {{ cdc_log_sql(cdc, comparison.columns, 'select * from bronze', comparison.splits_keys) | indent(4) }}
),

single_reset_points as (
    select struct(
        {{ cdc_reset_point_sql() | indent(8) }} as sequence, _cdc_committed_at as at, -1 as generation
    ) as reset_point
    from bronze
    where _cdc_operation = 'T'
    union all
    select
        struct(
            min({{ cdc_reset_point_sql() | indent(12) }}) as sequence,
            min_by(_cdc_committed_at, struct(_cdc_operation <> 'L', _cdc_committed_at))
                filter (where _cdc_operation <> 'R') as at,
            _cdc_generation as generation
        ) as reset_point
    from bronze
    group by _cdc_generation
    having count_if(_cdc_operation = 'R') > 0
),

all_reset_points as (
    select collect_list(reset_point) as reset_points
    from single_reset_points
),

keys as (
    select collect_list(struct(
        _cdc_sequence as sequence,
        _cdc_committed_at as at,
        _cdc_operation as operation,
        _cdc_generation as generation,
        _cdc_batch_id as batch_id,
        _cdc_unavailable_columns as unavailable,
        struct({{ comparison.image | join(', ') }}) as image
    )) as changes
    from log
    {{ 'left semi join changed_keys on ' ~ cdc_same_key_sql(cdc, 'log', 'changed_keys') if comparison.has_late }}
    group by {{ cdc_key_list_sql(cdc) }}
),

ordered as (
    select array_sort(transform(concat(changes, transform(
        filter(reset_points, reset_point -> not exists(
            changes, change -> change.operation = 'L' and change.generation = reset_point.generation
        )),
        reset_point -> struct(
            reset_point.sequence as sequence,
            reset_point.at as at,
            'D' as operation,
            reset_point.generation as generation,
            cast(null as bigint) as batch_id,
            cast(null as array<string>) as unavailable,
            changes[0].image as image
        )
    )), event -> struct({{ cdc_row_order_sql('event.sequence', 'event.batch_id') }}, event))) as events
    from keys
    cross join all_reset_points
),

lives as (
    select transform(
        filter(events, (ordered, position) -> not ordered.event.sequence <=> get(events, position + 1).event.sequence),
        ordered -> ordered.event
    ) as events
    from ordered
)
{%- endmacro %}
