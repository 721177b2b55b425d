{#
    The whole history told again, key by key: all changes of a key in one array, in order, and one fold over it. The
    model goes another way, by windows and from where silver stands. A truncate or a complete reload is put between the
    changes of every key that it ends.
#}
{% macro cdc_history_difference_sql(cdc, silver, bronze, snapshot_id, plan) -%}
{%- set names = plan | map(attribute='name') | list -%}
{%- set compared = cdc_column_list_sql(names + cdc_history_columns()) -%}
with bronze as (
    {{ cdc_bronze_range_sql(bronze, none, snapshot_id, 0) | indent(4) }}
),

log as (
    {{ cdc_log_sql(cdc, plan, 'select * from bronze', true) | indent(4) }}
),

single_barriers as (
    select struct(_cdc_sequence as sequence, _cdc_committed_at as at, -1 as generation) as barrier
    from bronze
    where _cdc_operation = 'T'
    union all
    select
        struct(
            lpad(_cdc_generation, 6, '0') as sequence,
            min_by(_cdc_committed_at, struct(_cdc_operation <> 'L', _cdc_committed_at)) as at,
            _cdc_generation as generation
        ) as barrier
    from bronze
    group by _cdc_generation
    having count_if(_cdc_operation <> 'L') > 0
),

all_barriers as (
    select collect_list(barrier) as barriers
    from single_barriers
),

keys as (
    select collect_list(struct(
        _cdc_sequence as sequence,
        _cdc_committed_at as at,
        _cdc_operation as operation,
        _cdc_generation as generation,
        _cdc_batch_id as batch_id,
        _cdc_unavailable_columns as unavailable,
        struct({{ cdc_column_list_sql(names) }}) as image
    )) as changes
    from log
    group by {{ cdc_key_list_sql(cdc) }}
),

lives as (
    select array_sort(concat(changes, transform(
        filter(barriers, barrier -> not exists(
            changes, change -> change.operation = 'L' and change.generation = barrier.generation
        )),
        barrier -> struct(
            barrier.sequence as sequence,
            barrier.at as at,
            'D' as operation,
            barrier.generation as generation,
            cast(null as bigint) as batch_id,
            cast(null as array<string>) as unavailable,
            changes[0].image as image
        )
    ))) as events
    from keys
    cross join all_barriers
),

folded as (
    select aggregate(
        events,
        filter(transform(events, event -> {{ _step_sql(names, none) | indent(8) }}), step -> false),
        (steps, event) -> concat(steps, filter(
            array({{ _step_sql(names, 'try_element_at(steps, -1)') | indent(12) }}),
            {%- if cdc.unchanged_rows == 'write' %}
            step -> step.image is not null or try_element_at(steps, -1).image is not null
            {%- else %}
            step -> not step.image <=> try_element_at(steps, -1).image
            {%- endif %}
        ))
    ) as steps
    from lives
),

versions as (
    select inline(transform(steps, (step, position) -> struct(step, get(steps, position + 1).at as valid_to)))
    from folded
),

expected as (
    select
        {%- for name in names %}
        step.image.{{ cdc_quote(name) }} as {{ cdc_quote(name) }},
        {%- endfor %}
        step.at as _cdc_valid_from,
        valid_to as _cdc_valid_to,
        step.operation as _cdc_operation,
        step.committed_at as _cdc_committed_at,
        step.sequence as _cdc_sequence,
        step.generation as _cdc_generation,
        step.batch_id as _cdc_batch_id
    from versions
    where step.image is not null
),

compared as (
    select
        1 as side,
        {{ compared }}
    from expected
    union all
    select
        -1 as side,
        {{ compared }}
    from {{ silver }}
)

select
    if(sum(side) > 0, 'missing from silver', 'unexpected in silver') as difference,
    {{ compared }}
from compared
group by {{ compared }}
having sum(side) <> 0
{%- endmacro %}


{# How the row stands after an event: its image, none after a delete, and since when. #}
{% macro _step_sql(names, before) -%}
struct(
    event.sequence as sequence,
    {{ 'greatest(' ~ before ~ '.at, event.at)' if before else 'event.at' }} as at,
    event.at as committed_at,
    event.operation as operation,
    event.generation as generation,
    event.batch_id as batch_id,
    if(event.operation = 'D', null, struct(
        {%- for name in names %}
        if(
            array_contains(event.unavailable, {{ cdc_string_sql(name) }}),
            {{ "if(event.operation = 'U', " ~ before ~ '.image.' ~ cdc_quote(name) ~ ', null)' if before else 'null' }},
            event.image.{{ cdc_quote(name) }}
        ) as {{ cdc_quote(name) }}{{ ',' if not loop.last }}
        {%- endfor %}
    )) as image
)
{%- endmacro %}
