{#
    The whole history computed again, key by key: all changes of a key in one array, in order, and one fold over it. The
    model uses windows, and continues from silver's versions.
#}
{% macro cdc_history_difference_sql(cdc, silver, bronze, snapshot_id, plan) -%}
{%- set names = plan | map(attribute='name') | list -%}
with {{ cdc_history_lives_sql(cdc, bronze, snapshot_id, plan) }},

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
        step.image.{{ adapter.quote(name) }} as {{ adapter.quote(name) }},
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

{{ cdc_compared_sql(silver, names + cdc_history_columns()) }}
{%- endmacro %}


{# How the row stands after an event: its image, none after a delete, and the time since which. #}
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
            array_contains(event.unavailable, {{ adapter.string_literal(name) }}),
            {{ "if(event.operation = 'U', " ~ before ~ '.image.' ~ adapter.quote(name) ~ ', null)' if before else 'null' }},
            event.image.{{ adapter.quote(name) }}
        ) as {{ adapter.quote(name) }}{{ ',' if not loop.last }}
        {%- endfor %}
    )) as image
)
{%- endmacro %}
